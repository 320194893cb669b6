//! Names, attributes and documentation in sources that are parsed.

use crate::Outcome;
use quote::ToTokens;
use std::collections::HashSet;
use syn::{Attribute, Expr, File, Lit, Meta, UseTree};

/// Parses files: their paths below the sources, without the extension, and their texts.
pub(super) fn parse_all(files: &[(String, String)]) -> Outcome<Vec<(String, File)>> {
    let parse = |(place, text): &(String, String)| {
        let file = syn::parse_file(text).map_err(|cause| format!("{place}.rs: {cause}"))?;
        Ok((place.clone(), file))
    };
    files.iter().map(parse).collect()
}

/// Returns the folder of the files of the modules that a file declares: `"signal/"` for `"signal/mod"`,
/// nothing for `"lib"`.
pub(super) fn folder(place: &str) -> String {
    match place.rsplit_once('/') {
        Some((folder, "mod")) => format!("{folder}/"),
        Some(_) => format!("{place}/"),
        None if place == "lib" => String::new(),
        None => format!("{place}/"),
    }
}

/// Returns the path of the module that a file is.
pub(super) fn module(place: &str) -> &str {
    place.strip_suffix("/mod").unwrap_or(place)
}

/// Collects the names that a `use` imports.
pub(super) fn names(tree: &UseTree, all: &mut HashSet<String>) {
    match tree {
        UseTree::Path(path) => names(&path.tree, all),
        UseTree::Name(name) => drop(all.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(all.insert(rename.ident.to_string())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, all)),
        UseTree::Glob(_) => {}
    }
}

/// Returns whether there is an attribute `name`.
pub(super) fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident(name))
}

/// Returns whether there is `#[doc(hidden)]`.
pub(super) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        Meta::List(_) | Meta::Path(_) | Meta::NameValue(_) => false,
    })
}

/// Returns the text of all `#[doc = ..]`.
pub(super) fn documentation(attributes: &[Attribute]) -> String {
    let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines = docs.filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(meta) => Some(text(&meta.value)),
        Meta::Path(_) | Meta::List(_) => None,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the text of a literal, or of `concat!` and `stringify!` of such.
fn text(value: &Expr) -> String {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => text.value(),
            other => other.to_token_stream().to_string(),
        },
        Expr::Macro(call) if call.mac.path.is_ident("concat") => {
            let parse = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
            let parts = call.mac.parse_body_with(parse).unwrap_or_default();
            parts.iter().map(text).collect()
        }
        Expr::Macro(call) => call.mac.tokens.to_string(),
        Expr::Group(group) => text(&group.expr),
        other => other.to_token_stream().to_string(),
    }
}
