//! `Operands`: the tensors among the fields of an operation, in declaration order.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{
    Data, DeriveInput, Error, Field, Fields, GenericArgument, PathArguments, Result, Token, Type, Variant,
};

/// Content of a field.
enum Content {
    /// `T`.
    Tensor,
    /// `Option<T>`.
    Optional,
    /// `Vec<T>`.
    List,
    /// Other arguments with tensors: `Args<T>`.
    Nested,
    /// `Box<Args<T>>`.
    Boxed,
    /// No tensor.
    Plain,
}

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let mut parameters = input.generics.type_params();
    let (Some(tensor), None) = (parameters.next(), parameters.next()) else {
        let message = "`Operands` is derived for types with one parameter: the tensor";
        return Err(Error::new_spanned(name, message));
    };
    let arms = match &input.data {
        Data::Struct(data) => vec![Arm::new(quote!(#name), &data.fields, &tensor.ident)],
        Data::Enum(data) => {
            let arm = |variant: &Variant| {
                let variant_name = &variant.ident;
                Arm::new(quote!(#name::#variant_name), &variant.fields, &tensor.ident)
            };
            data.variants.iter().map(arm).collect()
        }
        Data::Union(_) => {
            return Err(Error::new_spanned(name, "a union has no fields that can be told apart"));
        }
    };
    let methods = methods(name, &arms);
    let family = match &input.data {
        Data::Enum(data) if has_option(&input.attrs, "family")? => {
            family(name, &data.variants, &tensor.ident)?
        }
        Data::Enum(_) | Data::Struct(_) | Data::Union(_) => TokenStream::new(),
    };
    Ok(quote!(#methods #family))
}

/// The methods of all types with operands.
fn methods(name: &Ident, arms: &[Arm]) -> TokenStream {
    let [map, map_ref, visit] =
        [Arm::map, Arm::map_ref, Arm::visit].map(|write| arms.iter().map(write).collect::<TokenStream>());
    quote! {
        // Fields are bound and filled by their names, also where these are the same.
        #[allow(non_shorthand_field_patterns, clippy::redundant_field_names)]
        impl<T> #name<T> {
            /// Maps each tensor, in operand order; tensors move.
            pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> #name<U> {
                self.map_each(&mut f)
            }

            /// [`map`](Self::map) with the same function at each depth, so that programs compile one copy.
            #[doc(hidden)]
            pub fn map_each<U, F: FnMut(T) -> U>(self, f: &mut F) -> #name<U> {
                match self { #map }
            }

            /// Maps a reference to each tensor, in operand order.
            pub fn map_ref<'a, U>(&'a self, mut f: impl FnMut(&'a T) -> U) -> #name<U> {
                self.map_ref_each(&mut f)
            }

            /// [`map_ref`](Self::map_ref) with the same function at each depth.
            #[doc(hidden)]
            pub fn map_ref_each<'a, U, F: FnMut(&'a T) -> U>(&'a self, f: &mut F) -> #name<U> {
                match self { #map_ref }
            }

            /// Borrows the tensors.
            pub fn by_ref(&self) -> #name<&T> {
                self.map_ref(|x| x)
            }

            /// Visits each tensor in operand order, the order of `map`.
            pub fn visit<'a>(&'a self, mut f: impl FnMut(&'a T)) {
                match self { #visit }
            }
        }
    }
}

/// A struct, or a variant of an enum.
struct Arm {
    path: TokenStream,
    /// Field names, bindings and contents.
    fields: Vec<(TokenStream, Ident, Content)>,
}

impl Arm {
    fn new(path: TokenStream, fields: &Fields, tensor: &Ident) -> Self {
        let field = |(position, field): (usize, &Field)| {
            let binding = binding(position, field);
            let key = match &field.ident {
                Some(name) => quote!(#name),
                None => {
                    let position = syn::Index::from(position);
                    quote!(#position)
                }
            };
            (key, binding, content(&field.ty, tensor))
        };
        Arm { path, fields: fields.iter().enumerate().map(field).collect() }
    }

    /// An arm whose fields are bound, and whose value is made of the same fields.
    fn rebuild(&self, value: impl Fn(&Ident, &Content) -> TokenStream) -> TokenStream {
        let path = &self.path;
        let bound = self.fields.iter().map(|(key, binding, _)| quote!(#key: #binding));
        let values = self.fields.iter().map(|(key, binding, content)| {
            let value = value(binding, content);
            quote!(#key: #value)
        });
        quote!(#path { #(#bound),* } => #path { #(#values),* },)
    }

    fn map(&self) -> TokenStream {
        self.rebuild(|x, content| match content {
            Content::Tensor => quote!(f(#x)),
            Content::Optional => quote!(#x.map(&mut *f)),
            Content::Nested => quote!(#x.map_each(f)),
            Content::List => quote!(#x.into_iter().map(&mut *f).collect()),
            Content::Boxed => quote!(::alloc::boxed::Box::new(#x.map_each(f))),
            Content::Plain => quote!(#x),
        })
    }

    fn map_ref(&self) -> TokenStream {
        self.rebuild(|x, content| match content {
            Content::Tensor => quote!(f(#x)),
            Content::Optional => quote!(#x.as_ref().map(&mut *f)),
            Content::Nested => quote!(#x.map_ref_each(f)),
            Content::List => quote!(#x.iter().map(&mut *f).collect()),
            Content::Boxed => quote!(::alloc::boxed::Box::new(#x.map_ref_each(f))),
            Content::Plain => quote!(::core::clone::Clone::clone(#x)),
        })
    }

    fn visit(&self) -> TokenStream {
        let path = &self.path;
        let tensors = || self.fields.iter().filter(|(_, _, content)| !matches!(content, Content::Plain));
        let bound = tensors().map(|(key, binding, _)| quote!(#key: #binding));
        let visits = tensors().map(|(_, x, content)| match content {
            Content::Tensor => quote!(f(#x);),
            Content::Optional | Content::List => quote!(#x.iter().for_each(&mut f);),
            Content::Nested | Content::Boxed => quote!(#x.visit(&mut f);),
            Content::Plain => TokenStream::new(),
        });
        quote!(#path { #(#bound,)* .. } => { #(#visits)* })
    }
}

fn binding(position: usize, field: &Field) -> Ident {
    field.ident.clone().unwrap_or_else(|| {
        format_ident!("args{}", if position == 0 { String::new() } else { position.to_string() })
    })
}

fn content(ty: &Type, tensor: &Ident) -> Content {
    if is_tensor(ty, tensor) {
        return Content::Tensor;
    }
    match generic(ty) {
        Some((name, inner)) if is_tensor(inner, tensor) => match name.to_string().as_str() {
            "Option" => Content::Optional,
            "Vec" => Content::List,
            _ => Content::Nested,
        },
        Some((name, inner)) if name == "Box" && generic(inner).is_some_and(|(_, x)| is_tensor(x, tensor)) => {
            Content::Boxed
        }
        Some(_) | None => Content::Plain,
    }
}

fn is_tensor(ty: &Type, tensor: &Ident) -> bool {
    match ty {
        Type::Path(path) => path.path.is_ident(tensor),
        _ => false,
    }
}

/// Name and argument of a type with one type argument.
fn generic(ty: &Type) -> Option<(&Ident, &Type)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) if arguments.args.len() == 1 => Some((&last.ident, inner)),
        _ => None,
    }
}

/// The typed calls of a family, as a macro that puts them into a trait of backends `B`, and the names of its
/// variants.
fn family(name: &Ident, variants: &Punctuated<Variant, Token![,]>, tensor: &Ident) -> Result<TokenStream> {
    let calls = format_ident!("{}_calls", snake(&name.to_string()));
    let functions =
        variants.iter().map(|variant| call(name, variant, tensor)).collect::<Result<TokenStream>>()?;
    let documentation = format!("Typed calls of the operations of `{name}`.");
    Ok(quote! {
        #[doc = #documentation]
        #[doc(hidden)]
        #[macro_export]
        macro_rules! #calls {
            () => { #functions };
        }
    })
}

/// `fn unary(op: UnaryOp, x: B::Tensor) -> B::Tensor`: the function that executes a variant.
fn call(family: &Ident, variant: &Variant, tensor: &Ident) -> Result<TokenStream> {
    let name = &variant.ident;
    let function = match option(&variant.attrs, "call")? {
        Some(name) => Ident::new(&name, Span::call_site()),
        None => Ident::new(&snake(&name.to_string()), Span::call_site()),
    };
    let (result, take) = match option(&variant.attrs, "outputs")?.as_deref() {
        None => (quote!(B::Tensor), quote!(one)),
        Some("2") => (quote!((B::Tensor, B::Tensor)), quote!(two)),
        Some("3") => (quote!((B::Tensor, B::Tensor, B::Tensor)), quote!(three)),
        Some(_) => return Err(Error::new_spanned(variant, "an operation has one, two or three outputs")),
    };
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    for (position, field) in variant.fields.iter().enumerate() {
        let binding = binding(position, field);
        let (ty, value) = match generic(&field.ty) {
            Some((name, inner)) if name == "Box" => (inner, quote!(::alloc::boxed::Box::new(#binding))),
            Some(_) | None => (&field.ty, quote!(#binding)),
        };
        let ty = of_backend(ty, tensor);
        parameters.push(quote!(#binding: #ty));
        values.push(match &field.ident {
            Some(name) => quote!(#name: #value),
            None => {
                let position = syn::Index::from(position);
                quote!(#position: #value)
            }
        });
    }
    let documentation = format!("Executes [`{family}::{name}`].");
    Ok(quote! {
        #[doc = #documentation]
        #[track_caller]
        fn #function(#(#parameters),*) -> #result {
            B::execute($crate::Operation::#family($crate::#family::#name { #(#values),* })).#take()
        }
    })
}

/// A type with `B::Tensor` in place of the parameter.
fn of_backend(ty: &Type, tensor: &Ident) -> TokenStream {
    if is_tensor(ty, tensor) {
        return quote!(B::Tensor);
    }
    match generic(ty) {
        Some((name, inner)) => {
            let inner = of_backend(inner, tensor);
            match name.to_string().as_str() {
                "Option" => quote!(::core::option::Option<#inner>),
                "Vec" => quote!(::alloc::vec::Vec<#inner>),
                _ => quote!($crate::#name<#inner>),
            }
        }
        None => match ty {
            Type::Path(path) if path.path.get_ident().is_some_and(|name| !is_primitive(name)) => {
                quote!($crate::#ty)
            }
            _ => quote!(#ty),
        },
    }
}

fn is_primitive(name: &Ident) -> bool {
    ["usize", "bool", "f64"].iter().any(|primitive| name == primitive)
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Whether `#[operands(name)]` stands among the attributes.
fn has_option(attributes: &[syn::Attribute], name: &str) -> Result<bool> {
    option(attributes, name).map(|found| found.is_some())
}

/// The options of families and of their variants.
const OPTIONS: [&str; 3] = ["family", "call", "outputs"];

/// The value of `#[operands(name = value)]`; empty where only the name stands there.
fn option(attributes: &[syn::Attribute], name: &str) -> Result<Option<String>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("operands")) {
        attribute.parse_nested_meta(|meta| {
            let value = if meta.input.peek(Token![=]) {
                let value: syn::Expr = meta.value()?.parse()?;
                quote!(#value).to_string()
            } else {
                String::new()
            };
            if meta.path.is_ident(name) {
                found = Some(value);
            }
            if OPTIONS.iter().any(|option| meta.path.is_ident(option)) {
                return Ok(());
            }
            Err(meta.error(format!("`#[operands(..)]` takes {}", OPTIONS.join(", "))))
        })?;
    }
    Ok(found)
}
