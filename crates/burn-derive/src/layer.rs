//! `#[fallible(layer = "name")]`: beside every `forward..` of a layer the form that gives an error.

use crate::fallible::{call, error_docs, value_or_raise};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, ImplItem, ImplItemFn, ItemImpl, ReturnType, Visibility};

pub fn expand(mut block: ItemImpl, layer: &Expr) -> syn::Result<TokenStream> {
    for item in &mut block.items {
        if let ImplItem::Fn(function) = &*item
            && matches!(function.vis, Visibility::Public(_))
            && function.sig.ident.to_string().starts_with("forward")
        {
            *item = ImplItem::Verbatim(pair(function, layer)?);
        }
    }
    Ok(quote!(#block))
}

fn pair(function: &ImplItemFn, layer: &Expr) -> syn::Result<TokenStream> {
    let ImplItemFn { attrs, vis, sig, block: body, .. } = function;
    let ReturnType::Type(_, value) = &sig.output else {
        return Err(syn::Error::new_spanned(sig, "a layer returns a value"));
    };
    let name = &sig.ident;
    let mut fallible = sig.clone();
    fallible.ident = format_ident!("try_{name}", span = name.span());
    fallible.output = syn::parse_quote!(-> ::core::result::Result<#value, ::burn_core::tensor::TensorError>);
    let panicking = value_or_raise(&call(&fallible, true)?);
    let others = attrs.iter().filter(|attribute| !attribute.path().is_ident("doc"));
    let error_docs = error_docs(name, true);
    Ok(quote! {
        #(#attrs)*
        #[track_caller]
        #vis #sig #panicking

        #error_docs
        #(#others)*
        #[track_caller]
        #vis #fallible {
            ::burn_core::tensor::ops::try_in_operation(#layer, move || ::core::result::Result::Ok(#body))
        }
    })
}
