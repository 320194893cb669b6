//! Expansion of `#[config(default = ..)]` on a field of a given type.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, ExprUnary, Lit, Type, UnOp};

/// Returns the default as an expression of type `ty`.
pub fn expression(default: &Expr, ty: &Type) -> syn::Result<TokenStream> {
    match text(default) {
        Some(text) if last_segment_is(ty, &["String"]) => {
            Ok(quote!(<#ty as ::core::convert::From<&str>>::from(#text)))
        }
        Some(text) => {
            let expression: Expr = text.parse().map_err(|error| {
                syn::Error::new(text.span(), format!("`{}` is not an expression: {error}", text.value()))
            })?;
            Ok(quote!(#expression))
        }
        None if is_integer(default) && last_segment_is(ty, &["f32", "f64"]) => Ok(quote!((#default) as #ty)),
        None => Ok(quote!(#default)),
    }
}

fn text(default: &Expr) -> Option<&syn::LitStr> {
    match default {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

fn is_integer(default: &Expr) -> bool {
    match default {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.suffix().is_empty(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => is_integer(expr),
        _ => false,
    }
}

fn last_segment_is(ty: &Type, names: &[&str]) -> bool {
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|segment| names.iter().any(|name| segment.ident == name))
}
