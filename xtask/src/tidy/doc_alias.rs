//! Types and functions whose name in PyTorch differs carry it as `#[doc(alias)]`, so that rustdoc's search
//! finds them.
//!
//! `#[fallible]` adds the alias of the methods and functions that it writes.

use super::Findings;
use crate::workspace::rust_files;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, Visibility};

/// The crates whose documentation names counterparts.
const CRATES: [&str; 4] = ["burn-core", "burn-nn", "burn-optim", "burn-tensor"];

pub(super) fn find() -> Findings {
    let mut findings = Vec::new();
    let is_tensor = |name: &str| CRATES.iter().any(|of| name.starts_with(&format!("crates/{of}/src/")));
    for (name, text) in rust_files(is_tensor)? {
        let file = syn::parse_file(&text).map_err(|cause| format!("{name}: {cause}"))?;
        let missing =
            |(item, alias): (String, String)| format!("{name}: {item} needs #[doc(alias = \"{alias}\")]");
        findings.extend(without_alias(&file.items).into_iter().map(missing));
    }
    Ok(findings)
}

/// The items without the alias that their documentation asks for, and that alias.
fn without_alias(items: &[Item]) -> Vec<(String, String)> {
    let mut missing = Vec::new();
    let mut see = |name: &syn::Ident, attributes: &[Attribute], visibility: Option<&Visibility>| {
        let is_public = visibility.is_none_or(|visibility| matches!(visibility, Visibility::Public(_)));
        if is_public && let Some(alias) = alias_of(&name.to_string(), attributes) {
            missing.push((name.to_string(), alias));
        }
    };
    for item in items {
        match item {
            Item::Struct(item) => see(&item.ident, &item.attrs, Some(&item.vis)),
            Item::Enum(item) => see(&item.ident, &item.attrs, Some(&item.vis)),
            Item::Trait(item) => see(&item.ident, &item.attrs, Some(&item.vis)),
            Item::Fn(item) if !is_fallible(&item.attrs) => see(&item.sig.ident, &item.attrs, Some(&item.vis)),
            Item::Impl(block) if block.trait_.is_none() => {
                for item in &block.items {
                    let ImplItem::Fn(method) = item else { continue };
                    let is_derived =
                        is_fallible(&block.attrs) && method.sig.ident.to_string().starts_with("try_");
                    if !is_derived {
                        see(&method.sig.ident, &method.attrs, Some(&method.vis));
                    }
                }
            }
            _ => {}
        }
    }
    missing
}

fn is_fallible(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("fallible"))
}

/// The alias that is missing: the last part of the path after `PyTorch:`, unless it is the name itself, in
/// any case.
fn alias_of(name: &str, attributes: &[Attribute]) -> Option<String> {
    let docs: Vec<String> = attributes.iter().filter_map(line).collect();
    let docs = docs.join(" ");
    let (_, rest) = docs.split_once("PyTorch:")?;
    let code = rest.trim_start().strip_prefix('`')?.split('`').next()?;
    let path = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next()?;
    let (_, alias) = path.rsplit_once('.')?;
    let is_name = alias.len() > 1 && !alias.starts_with(|c: char| c.is_numeric());
    let has = |attribute: &Attribute| match &attribute.meta {
        Meta::List(list) => list.tokens.to_string().contains(&format!("\"{alias}\"")),
        Meta::Path(_) | Meta::NameValue(_) => false,
    };
    let plain = |name: &str| name.strip_prefix("try_").unwrap_or(name).replace('_', "").to_lowercase();
    (is_name && plain(alias) != plain(name) && !attributes.iter().any(has)).then(|| alias.to_string())
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        Expr::Lit(literal) if pair.path.is_ident("doc") => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(text: &str) -> Vec<(String, String)> {
        without_alias(&syn::parse_file(text).expect("Rust").items)
    }

    #[test]
    fn a_name_that_differs_needs_an_alias() {
        let torch = "/// PyTorch: `torch.nn.SiLU`.\n";
        let expected = vec![("Swish".to_string(), "SiLU".to_string())];
        assert_eq!(missing(&format!("{torch}pub struct Swish;")), expected);
        assert!(missing(&format!("{torch}pub struct Silu;")).is_empty(), "search ignores case");
        assert!(missing(&format!("{torch}#[doc(alias = \"SiLU\")]\npub struct Swish;")).is_empty());
        assert!(missing(&format!("{torch}struct Swish;")).is_empty(), "it is private");
        assert!(missing(&format!("#[fallible]\n{torch}pub fn try_swish() {{}}")).is_empty());
        let method = format!("impl Tensor {{ {torch}pub fn swish(self) {{}} }}");
        assert_eq!(missing(&method), [("swish".to_string(), "SiLU".to_string())]);
    }
}
