//! Types and functions whose name in PyTorch differs carry it as `#[doc(alias)]`, so that rustdoc's search
//! finds them.
//!
//! `#[fallible]` adds the alias of the methods and functions that it writes.

use super::rustdoc::{Crate, Item};

/// Returns the public items without the alias that their documentation asks for.
pub(super) fn missing(of: &Crate) -> Vec<String> {
    let mut items = Vec::new();
    for (_, item) in of.public() {
        items.push(item);
        items.extend(of.impls(item).flat_map(|block| of.items(&block["items"])));
    }
    let missing = |item: Item| {
        let alias = alias_of(item.name(), item.docs())?;
        let attribute = format!("alias = \"{alias}\"");
        let is_missing = !item.has_attribute(&attribute);
        is_missing.then(|| format!("{}: {} needs #[doc({attribute})]", item.file(), item.name()))
    };
    items.into_iter().filter_map(missing).collect()
}

/// Returns the last part of the path after `PyTorch:`, unless it is the name itself, in any case.
fn alias_of<'a>(name: &str, docs: &'a str) -> Option<&'a str> {
    let (_, rest) = docs.split_once("PyTorch:")?;
    let code = rest.trim_start().strip_prefix('`')?.split('`').next()?;
    let path = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').next()?;
    let (_, alias) = path.rsplit_once('.')?;
    let is_name = alias.len() > 1 && !alias.starts_with(|c: char| c.is_numeric());
    let plain = |name: &str| name.strip_prefix("try_").unwrap_or(name).replace('_', "").to_lowercase();
    (is_name && plain(alias) != plain(name)).then_some(alias)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_name_that_differs_needs_an_alias() {
        let missing = |name: &str, attributes: Value| {
            let docs = "Swish.\nPyTorch:\n`torch.nn.SiLU(inplace=False)`.";
            let item =
                json!({"id": 1, "name": name, "docs": docs, "attrs": attributes, "inner": {"struct": {}}});
            let root = json!({"id": 0, "inner": {"module": {"items": [1]}}});
            super::missing(&Crate::of(json!({"root": 0, "index": {"0": root, "1": item}})).unwrap())
        };
        assert_eq!(missing("Swish", json!([])), [": Swish needs #[doc(alias = \"SiLU\")]"]);
        assert!(missing("Silu", json!([])).is_empty(), "search ignores case");
        assert!(missing("Swish", json!([{"other": "#[doc(alias = \"SiLU\")]"}])).is_empty());
    }
}
