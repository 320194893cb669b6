//! `#[fallible]`: beside every `try_` operation the form that panics; errors of operations are named after
//! it.

use crate::doc_alias::doc_alias;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, GenericParam, Ident, ImplItem, Item, Lit, Meta, Pat,
    PathArguments, ReturnType, Signature, Type, Visibility,
};

/// Subject that error messages name.
#[derive(Clone, Copy)]
pub enum Of {
    /// An operation on tensors, which names its errors.
    Operation,
    /// A config or a layer, whose errors name the config's fields or the layer.
    Named,
}

pub fn expand(item: Item, of: Of) -> syn::Result<TokenStream> {
    match item {
        Item::Impl(mut block) => {
            for item in &mut block.items {
                let ImplItem::Fn(function) = &*item else { continue };
                if is_try(&function.sig) {
                    let body = &function.block;
                    let pair = pair(true, of, &function.attrs, &function.vis, &function.sig, &quote!(#body))?;
                    *item = ImplItem::Verbatim(pair);
                }
            }
            Ok(quote!(#block))
        }
        Item::Fn(function) if is_try(&function.sig) => {
            let body = &function.block;
            pair(false, of, &function.attrs, &function.vis, &function.sig, &quote!(#body))
        }
        other => {
            Err(syn::Error::new_spanned(other, "`#[fallible]` is for an impl block or a function `try_..`"))
        }
    }
}

fn is_try(signature: &Signature) -> bool {
    signature.ident.to_string().starts_with("try_")
}

/// The panicking form with the docs as they are written, and the form that gives the error with a pointer to
/// them.
fn pair(
    in_impl: bool,
    of: Of,
    attributes: &[Attribute],
    visibility: &Visibility,
    signature: &Signature,
    body: &TokenStream,
) -> syn::Result<TokenStream> {
    let name = signature.ident.to_string();
    let name = format_ident!("{}", &name["try_".len()..], span = signature.ident.span());
    let operation = name.to_string();
    let value = value_of(&signature.output)?;

    let mut plain = signature.clone();
    plain.ident = name.clone();
    plain.output = syn::parse_quote!(-> #value);
    let call = call(signature, in_impl)?;
    let output = &signature.output;
    let body = match of {
        Of::Operation => quote!({ crate::ops::try_in_operation(#operation, move || #output #body) }),
        Of::Named => body.clone(),
    };
    let (docs, others): (Vec<_>, Vec<_>) =
        attributes.iter().partition(|attribute| attribute.path().is_ident("doc"));
    let plain_docs = docs.iter().map(|attribute| panics(attribute));
    let alias = doc_alias(&docs, &operation);
    let (panicking, error_docs) = (value_or_raise(&call), error_docs(&name, in_impl));
    Ok(quote! {
        #(#plain_docs)*
        #alias
        #(#others)*
        #[track_caller]
        #[must_use]
        #visibility #plain #panicking

        #error_docs
        #(#others)*
        #[track_caller]
        #visibility #signature #body
    })
}

/// `Y` of `Result<Y, ..>`.
fn value_of(output: &ReturnType) -> syn::Result<Type> {
    let error = || syn::Error::new_spanned(output, "a `try_` operation gives a `Result`");
    let ReturnType::Type(_, output) = output else { return Err(error()) };
    let Type::Path(path) = &**output else { return Err(error()) };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Result").ok_or_else(error)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Err(error()) };
    match arguments.args.first() {
        Some(GenericArgument::Type(value)) => Ok(value.clone()),
        _ => Err(error()),
    }
}

/// Writes the body of a panicking form: the value of the call of its `try_` form, or a panic with the error.
pub fn value_or_raise(call: &TokenStream) -> TokenStream {
    quote! {
        {
            match #call {
                ::core::result::Result::Ok(value) => value,
                ::core::result::Result::Err(error) => error.raise(),
            }
        }
    }
}

/// Writes the documentation of the `try_` form of `name`.
pub fn error_docs(name: &Ident, in_impl: bool) -> TokenStream {
    let link = match in_impl {
        true => format!("[`{name}`](Self::{name})"),
        false => format!("[`{name}`]"),
    };
    let (pointer, conditions) =
        (format!("{link}, and what is wrong as a value."), format!("When {link} panics."));
    quote! {
        #[doc = #pointer]
        ///
        /// # Errors
        #[doc = #conditions]
    }
}

/// Writes a call of the `try_` form with the arguments that the panicking form has.
pub fn call(signature: &Signature, in_impl: bool) -> syn::Result<TokenStream> {
    let name = &signature.ident;
    let mut arguments = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(_) => {}
            FnArg::Typed(input) => match &*input.pat {
                Pat::Ident(pattern) => arguments.push(&pattern.ident),
                other => return Err(syn::Error::new_spanned(other, "needs a name here")),
            },
        }
    }
    let names: Vec<&Ident> = signature
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(parameter) => Some(&parameter.ident),
            GenericParam::Const(parameter) => Some(&parameter.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    let generics = if names.is_empty() { quote!() } else { quote!(::<#(#names),*>) };
    Ok(if signature.receiver().is_some() {
        quote!(self.#name #generics (#(#arguments),*))
    } else if in_impl {
        quote!(Self::#name #generics (#(#arguments),*))
    } else {
        quote!(#name #generics (#(#arguments),*))
    })
}

/// A doc line, where the section on errors becomes the one on panics.
fn panics(attribute: &Attribute) -> TokenStream {
    if let Meta::NameValue(pair) = &attribute.meta
        && let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value
        && text.value().trim() == "# Errors"
    {
        return quote!(#[doc = " # Panics"]);
    }
    quote!(#attribute)
}
