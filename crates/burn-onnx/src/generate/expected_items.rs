//! A check of finished source: it has the items of a model and nothing else. The tokens that it is made of
//! leave no room for others; this finds the mistake should they ever.

use proc_macro2::{Ident, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::str::FromStr;
use syn::{Attribute, ImplItem, Item, Type, UseTree};

/// Keywords of items, which stand as often as the items need them.
const COUNTED: [&str; 5] = ["extern", "fn", "impl", "struct", "use"];

/// Words of items that no model has.
const FORBIDDEN: [&str; 10] =
    ["async", "const", "enum", "macro_rules", "mod", "static", "trait", "type", "union", "unsafe"];

/// Macros that a model calls.
const MACROS: [&str; 7] =
    ["concat", "env", "impl_from_embedded", "impl_from_file", "include_bytes", "s", "vec"];

/// Checks the items of a file.
///
/// # Errors
/// When the text is not Rust, or an item, attribute, field or macro is not one of a generated model.
pub(super) fn check(text: &str, fields: &[&Ident], is_embedded: bool) -> Result<(), String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    if file.shebang.is_some() || !file.attrs.is_empty() {
        return Err("the file has attributes".into());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut items = Vec::new();
    for item in &file.items {
        let (name, words) = describe(item, fields)?;
        words.iter().for_each(|(word, count)| *counts.entry(word).or_default() += count);
        items.extend(name);
    }
    let loading = if is_embedded { "impl_from_embedded" } else { "impl_from_file" };
    let expected = ["Model", loading, "new forward"];
    if items != expected {
        return Err(format!("expected the items {expected:?}, got {items:?}"));
    }
    let mut found = BTreeMap::new();
    let tokens = TokenStream::from_str(text).map_err(|error| error.to_string())?;
    count_words(tokens, &mut found)?;
    if found != counts {
        return Err(format!("expected the keywords {counts:?}, got {found:?}"));
    }
    Ok(())
}

/// Keywords of items with their numbers.
type Keywords = Vec<(&'static str, usize)>;

/// The name of an item unless it is an import, and the keywords in it.
fn describe(item: &Item, fields: &[&Ident]) -> Result<(Option<String>, Keywords), String> {
    match item {
        Item::ExternCrate(item) if item.ident == "alloc" => {
            attributes(&item.attrs, &[])?;
            Ok((None, vec![("extern", 1)]))
        }
        Item::Use(item) => {
            attributes(&item.attrs, &[])?;
            match &item.tree {
                UseTree::Path(path) if path.ident == "alloc" || path.ident == "burn" => {
                    Ok((None, vec![("use", 1)]))
                }
                _ => Err("an import is from another crate".into()),
            }
        }
        Item::Struct(item) => {
            attributes(&item.attrs, &["doc", "derive"])?;
            let names: Vec<&Ident> = item.fields.iter().filter_map(|field| field.ident.as_ref()).collect();
            let is_empty = fields.is_empty() && names.len() == 1 && *names[0] == "phantom";
            if names != fields && !is_empty {
                return Err(format!("expected the fields {fields:?}, got {names:?}"));
            }
            item.fields.iter().try_for_each(|field| attributes(&field.attrs, &["doc"]))?;
            Ok((Some(item.ident.to_string()), vec![("struct", 1)]))
        }
        Item::Macro(item) => {
            attributes(&item.attrs, &[])?;
            let path: Vec<String> =
                item.mac.path.segments.iter().map(|name| name.ident.to_string()).collect();
            match path.as_slice() {
                [outer, inner, name] if outer == "burn" && inner == "record" => {
                    Ok((Some(name.clone()), Vec::new()))
                }
                _ => Err("a macro is from another module".into()),
            }
        }
        Item::Impl(item) => {
            attributes(&item.attrs, &[])?;
            match &*item.self_ty {
                Type::Path(path) if path.path.segments.last().is_some_and(|name| name.ident == "Model") => {}
                _ => return Err("an implementation is for another type".into()),
            }
            if item.trait_.is_some() {
                return Err("an implementation is of a trait".into());
            }
            let mut names: Vec<String> = Vec::new();
            for part in &item.items {
                let ImplItem::Fn(function) = part else {
                    return Err("an implementation has other items".into());
                };
                attributes(&function.attrs, &["doc", "allow"])?;
                names.push(function.sig.ident.to_string());
            }
            Ok((Some(names.join(" ")), vec![("impl", 1), ("fn", item.items.len())]))
        }
        _ => Err("an item is of another kind".into()),
    }
}

fn attributes(attributes: &[Attribute], allowed: &[&str]) -> Result<(), String> {
    match attributes.iter().find(|attribute| !allowed.iter().any(|name| attribute.path().is_ident(name))) {
        Some(attribute) => {
            let name = attribute.path().segments.last().map(|name| name.ident.to_string());
            Err(format!("expected the attributes {allowed:?}, got {name:?}"))
        }
        None => Ok(()),
    }
}

/// Counts the keywords of items at any depth, and looks at the names of macros and attributes.
fn count_words(tokens: TokenStream, counts: &mut BTreeMap<&str, usize>) -> Result<(), String> {
    let mut pending = vec![tokens];
    while let Some(tokens) = pending.pop() {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (place, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => pending.push(group.stream()),
                TokenTree::Ident(word) => {
                    let is_macro = is_mark(tokens.get(place + 1), '!')
                        && matches!(tokens.get(place + 2), Some(TokenTree::Group(_)));
                    if FORBIDDEN.iter().any(|name| word == name)
                        || (is_macro && !MACROS.iter().any(|name| word == name))
                    {
                        return Err(format!("`{word}` stands in it"));
                    }
                    if let Some(name) = COUNTED.iter().find(|name| word == *name) {
                        *counts.entry(name).or_default() += 1;
                    }
                }
                TokenTree::Punct(mark) if mark.as_char() == '#' => attribute(tokens.get(place + 1))?,
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    Ok(())
}

fn attribute(token: Option<&TokenTree>) -> Result<(), String> {
    let Some(TokenTree::Group(group)) = token else { return Err("an attribute is of the file".into()) };
    let text = group.stream().to_string();
    match group.stream().into_iter().next() {
        Some(TokenTree::Ident(word)) if word == "doc" || word == "allow" => Ok(()),
        Some(TokenTree::Ident(word)) if word == "derive" && text == "derive (Module , Debug)" => Ok(()),
        _ => Err(format!("the attribute `{text}` stands in it")),
    }
}

fn is_mark(token: Option<&TokenTree>, letter: char) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "use burn::module::Module;
        #[derive(Module, Debug)]
        pub struct Model<B: Backend> { pub fc: Linear<B> }
        burn::record::impl_from_embedded!(Model, include_bytes!(\"model.bin\"));
        impl<B: Backend> Model<B> {
            pub fn new(device: &B::Device) -> Self { todo }
            pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> { BODY }
        }";

    fn checked(text: &str) -> Result<(), String> {
        let field = syn::parse_str::<Ident>("fc").unwrap();
        check(text, &[&field], true)
    }

    #[test]
    fn the_items_of_a_model_are_accepted() {
        checked(&MODEL.replace("BODY", "x.slice(s![0..1]).neg()")).unwrap();
    }

    #[test]
    fn other_items_attributes_and_macros_are_refused() {
        for body in [
            "fn inner() {} x",
            "static X: u8 = 0; x",
            "use std::process::exit; x",
            "unsafe { x }",
            "std::arch::asm!(\"\")",
            "#[cfg(test)] x",
            "mod inner {} x",
            "const X: u8 = 0; x",
            "macro_rules! m { () => {} } x",
        ] {
            checked(&MODEL.replace("BODY", body)).expect_err(body);
        }
        let model = MODEL.replace("BODY", "x");
        for item in
            ["fn main() {}", "static X: u8 = 0;", "use std::fs;", "mod inner {}", "m!();", "struct X;"]
        {
            checked(&format!("{model}\n{item}")).expect_err(item);
        }
        for (old, new) in [
            ("pub struct", "#[repr(C)] pub struct"),
            ("burn::record::impl", "#[link_section = \".init_array\"] burn::record::impl"),
            ("burn::record::impl", "other::record::impl"),
            ("impl_from_embedded", "impl_from_file"),
            ("pub fc: Linear<B>", "pub other: Linear<B>"),
            ("impl<B: Backend> Model", "impl<B: Backend> Drop for Model"),
            ("use burn", "#![allow(unused)] use burn"),
            ("derive(Module, Debug)", "derive(Module, Other)"),
        ] {
            assert!(model.contains(old), "{old}");
            checked(&model.replace(old, new)).expect_err(new);
        }
    }
}
