//! `#[doc(alias)]` with the name that PyTorch has for a documented function, so that rustdoc's search finds
//! it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Token};

/// Returns the attribute for the name after `PyTorch:` in the docs, unless it is the function's own.
pub fn doc_alias(docs: &[&Attribute], own: &str) -> TokenStream {
    let text: Vec<String> = docs.iter().filter_map(|attribute| line(attribute)).collect();
    match pytorch_name(&text.join(" ")) {
        Some(name) if name != own && !docs.iter().any(|attribute| is_alias(attribute, &name)) => {
            quote!(#[doc(alias = #name)])
        }
        Some(_) | None => TokenStream::new(),
    }
}

/// Returns `gt` of ``PyTorch: `torch.gt`.``
fn pytorch_name(docs: &str) -> Option<String> {
    let (_, rest) = docs.split_once("PyTorch:")?;
    let code = rest.trim_start().strip_prefix('`')?.split('`').next()?;
    let path = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next()?;
    let (_, name) = path.rsplit_once('.')?;
    (name.len() > 1 && !name.starts_with(|c: char| c.is_numeric())).then(|| name.to_string())
}

/// A line of the docs; of a `concat!` the text, as far as it is written as literals.
fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Macro(call) if call.mac.path.is_ident("concat") => {
            let parts = call.mac.parse_body_with(Punctuated::<Lit, Token![,]>::parse_terminated).ok()?;
            let text = |part: &Lit| match part {
                Lit::Str(text) => text.value(),
                _ => String::new(),
            };
            Some(parts.iter().map(text).collect())
        }
        _ => None,
    }
}

fn is_alias(attribute: &Attribute, name: &str) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    list.tokens.to_string().contains(&format!("\"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn the_name_is_the_last_part_of_the_path() {
        assert_eq!(pytorch_name("Compares. PyTorch: `torch.gt`.").as_deref(), Some("gt"));
        assert_eq!(pytorch_name("PyTorch: `torch.svd(full_matrices=False)`, which").as_deref(), Some("svd"));
        assert_eq!(pytorch_name("PyTorch: `x.unfold`.").as_deref(), Some("unfold"));
        assert_eq!(pytorch_name("PyTorch: `x[0:1]`."), None);
        assert_eq!(pytorch_name("PyTorch: indexing, `x[0:1]`."), None);
        assert_eq!(pytorch_name("PyTorch has no counterpart."), None);
    }

    #[test]
    fn an_alias_is_added_once_and_not_for_the_own_name() {
        let greater: Attribute =
            parse_quote!(#[doc = concat!("`x ", ">", " y`. PyTorch: `", "torch.gt", "`.")]);
        assert_eq!(doc_alias(&[&greater], "greater").to_string(), quote!(#[doc(alias = "gt")]).to_string());
        assert!(doc_alias(&[&greater], "gt").is_empty());
        let written: Attribute = parse_quote!(#[doc(alias = "gt")]);
        assert!(doc_alias(&[&greater, &written], "greater").is_empty());
    }
}
