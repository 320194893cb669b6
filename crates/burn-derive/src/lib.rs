//! The derives of Burn: [`Config`], [`Module`] and [`Record`].
//!
//! Derived code only calls one trait method per field, so that a program that derives many modules still
//! compiles in seconds. Use the derives through `burn` (or `burn-core`), which re-export them beside their traits.

mod attribute;
mod config;
mod config_default;
mod config_enum;
mod generics;
mod module;
mod module_enum;
mod module_struct;
mod record;
mod root;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct or an enum of options a `Config`: a constructor `new` that takes the fields without a default, a
/// `with_<field>` for every field, `save` and `load` as JSON, `Clone` and `Display`.
///
/// `#[config(default = 0.1)]` gives a number, `#[config(default = "expression")]` any expression; on a `String` field
/// the text is the value itself. An expression may use the fields without a default: `#[config(default = "kernel_size")]`.
#[proc_macro_derive(Config, attributes(config))]
pub fn config(input: TokenStream) -> TokenStream {
    expand(config::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a struct of modules, or an enum with one module per variant, a `Module`.
///
/// The backend is the type parameter that is bounded by a trait called `Backend`, or else the one called `B`. A type
/// with one also gets `<Name>Record<B>`, `AutodiffModule`, `Clone` and `Display`; a type without one is a constant,
/// which has nothing to save or to train.
/// `#[module(custom_display)]` leaves `ModuleDisplay` for you to implement.
#[proc_macro_derive(Module, attributes(module))]
pub fn module(input: TokenStream) -> TokenStream {
    expand(module::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a struct or an enum a `Record`: something that recorders save and load, each field under its name.
#[proc_macro_derive(Record)]
pub fn record(input: TokenStream) -> TokenStream {
    expand(record::derive(&parse_macro_input!(input as DeriveInput)))
}

fn expand(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(syn::Error::into_compile_error).into()
}
