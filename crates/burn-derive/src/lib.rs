//! The derives of Burn: [`Config`], [`Module`] and [`Record`]; and [`fallible`], with which it writes
//! operations.
//!
//! Derived code only calls one trait method per field, so that a program that derives many modules still
//! compiles in seconds. Use the derives through `burn` (or `burn-core`), which re-export them beside their
//! traits.

mod attribute;
mod conditions;
mod config;
mod config_default;
mod config_enum;
mod constant;
mod display;
mod doc_alias;
mod fallible;
mod generics;
mod layer;
mod module;
mod module_enum;
mod module_struct;
mod operands;
mod parts;
mod record;
mod root;
mod target;

use proc_macro::TokenStream;
use syn::{DeriveInput, Item, parse_macro_input};

/// Makes a struct or an enum of options a `Config`: a constructor `new` that takes the fields without a
/// default, a `with_<field>` for every field, `save` and `load` as JSON, `Clone` and `Display`.
///
/// `#[config(default = 0.1)]` gives a number, `#[config(default = "expression")]` any expression; on a
/// `String` field the text is the value itself. An expression may use the fields without a default:
/// `#[config(default = "kernel_size")]`.
#[proc_macro_derive(Config, attributes(config))]
pub fn config(input: TokenStream) -> TokenStream {
    expand(config::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a struct of modules, or an enum with one module per variant, a `Module`.
///
/// The backend is the type parameter that is bounded by a trait called `Backend`, or else the one called `B`.
/// A type with one also gets `<Name>Record<B>`, `AutodiffModule`, `Clone` and `Display`; a type without one
/// is a constant, which has nothing to save or to train. `#[module(custom_display)]` leaves `ModuleDisplay`
/// for you to implement. `#[module(custom_valid)]` on a type without a backend leaves `AutodiffModule` for
/// you to implement.
///
/// A type parameter that is a field, as `M` in `module: M`, is bounded by `Module<B>`. A type may hold
/// itself, as in `children: Vec<Tree<B>>`; where two types hold each other, one of them needs
/// `#[module(recursive)]`, without which the compiler reports an overflow (E0275).
///
/// A field with `#[module(record_in = weight)]`, whose own record is an `Option`, has no field in the record
/// of the module: its record is attached to that of the parameter `weight`, and files have it under the name
/// of the field.
#[proc_macro_derive(Module, attributes(module))]
pub fn module(input: TokenStream) -> TokenStream {
    expand(module::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Derives `map`, `by_ref` and `visit` of the tensors in the arguments of an operation; for `burn-ir`.
///
/// The type has one parameter, the tensor. Its fields hold `T`, `Option<T>`, `Vec<T>`, other arguments
/// `Args<T>` or `Box<Args<T>>`, or no tensor. An enum with `#[operands(family)]` also gets the macro
/// `<family>_calls!`, which puts one typed function for each variant into a trait: `#[operands(call = name)]`
/// names it, `#[operands(outputs = 2)]` is the number of its results.
#[proc_macro_derive(Operands, attributes(operands))]
pub fn operands(input: TokenStream) -> TokenStream {
    expand(operands::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a struct or an enum a `Record`: something that recorders save and load, each field under its name.
#[proc_macro_derive(Record)]
pub fn record(input: TokenStream) -> TokenStream {
    expand(record::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Derives from every `try_x` of an impl block, or from one function, the form `x` that panics at the
/// caller's line.
///
/// The operation and its docs are written once, in the form that gives a `Result`; the docs go to `x`, with
/// `# Errors` as `# Panics`. The error type has a method `raise` that panics. The body runs in
/// `crate::ops::try_in_operation`, so that an error in it, also in an operation that it is made of, is one of
/// `x` at the caller's line.
///
/// `#[fallible(config)]` is for `try_init` of configs and `#[fallible(layer)]` for `try_forward` of layers:
/// the body is used as it is, since these errors name the config's field or the layer, not the function.
///
/// `#[fallible(layer = "linear")]` is for layers and losses that are written in the panicking form: every
/// public `forward..` of the block gets a `try_forward..`, and both run as the operation `linear`.
#[proc_macro_attribute]
pub fn fallible(arguments: TokenStream, item: TokenStream) -> TokenStream {
    if let Ok(argument) = syn::parse::<syn::MetaNameValue>(arguments.clone())
        && argument.path.is_ident("layer")
    {
        return expand(layer::expand(parse_macro_input!(item as syn::ItemImpl), &argument.value));
    }
    let of = match arguments.to_string().as_str() {
        "" => fallible::Of::Operation,
        "config" | "layer" => fallible::Of::Named,
        _ => {
            let message = "`#[fallible]` takes no argument but `config` and `layer`";
            return expand(Err(syn::Error::new(proc_macro2::Span::call_site(), message)));
        }
    };
    expand(fallible::expand(parse_macro_input!(item as Item), of))
}

fn expand(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(syn::Error::into_compile_error).into()
}
