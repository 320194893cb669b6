//! Public types: those with a `forward`, and those that a config makes.

use super::super::counterpart::Counterpart;
use super::super::rustdoc::{Crate, Item};
use super::docs;
use super::entry::Entry;
use std::collections::BTreeMap;

/// Types by name and file, with their paths; two modules may have types of one name.
type Types<'a> = BTreeMap<(&'a str, &'a str), (String, Item<'a>)>;

/// Returns the layers, losses, optimizers and schedulers of a crate; `family` begins with `prefix`.
pub(super) fn read(of: &Crate, prefix: &str) -> Vec<Entry> {
    let is_type =
        |item: &Item| ["struct", "enum", "type_alias"].iter().any(|kind| item.inner(kind).is_some());
    let listed = of.public().into_iter().filter(|(_, item)| is_type(item) && !item.is_deprecated());
    let types: Types = listed.map(|(path, item)| ((item.name(), item.module()), (path, item))).collect();
    types.values().filter_map(|(path, item)| entry(of, &types, path, *item, prefix)).collect()
}

/// Returns the entry of a type that is listed: a layer, what a config makes, or a config whose product is
/// named otherwise.
fn entry(of: &Crate, types: &Types, path: &str, item: Item, prefix: &str) -> Option<Entry> {
    let (name, module) = (item.name(), item.module());
    let config = find(types, &format!("{name}Config"), module);
    let is_made = config.is_some_and(|config| has_init(of, config));
    let is_layer = has_method(of, item, |method| method.starts_with("forward"));
    let makes_another = name
        .strip_suffix("Config")
        .is_some_and(|product| has_init(of, item) && find(types, product, module).is_none());
    if !is_layer && !is_made && !makes_another {
        return None;
    }
    let entry = |docs: &str| {
        let family = module.split('/').next().unwrap_or_default();
        Entry::new(item.file().to_string(), format!("{prefix}/{family}"), path.to_string(), docs)
    };
    let own = entry(item.docs());
    // A type that only says "See its config" is documented there.
    let by_config = || config.map(|config| entry(config.docs())).filter(Entry::has_source);
    Some(if own.has_source() { own } else { by_config().unwrap_or(own) })
}

/// Returns the type `name`, the one in the file `module` if there are several.
fn find<'a>(types: &Types<'a>, name: &str, module: &str) -> Option<Item<'a>> {
    let named = types.iter().filter(|((known, _), _)| *known == name);
    named.max_by_key(|((_, known), _)| *known == module).map(|(_, (_, item))| *item)
}

fn has_init(of: &Crate, config: Item) -> bool {
    has_method(of, config, |method| method == "init")
}

/// Returns whether a type has a method of this name, or one that begins with `try_` before it.
fn has_method(of: &Crate, item: Item, is_wanted: impl Fn(&str) -> bool) -> bool {
    let methods = of.impls(item).flat_map(|block| of.items(&block["items"]));
    methods.map(Item::name).any(|name| is_wanted(name.strip_prefix("try_").unwrap_or(name)))
}

/// Returns an entry for each variant of the enum `Initializer`. Their names in PyTorch are those in
/// parentheses: `` (`torch.nn.init.eye_`) ``.
pub(super) fn initializers(of: &Crate) -> Vec<Entry> {
    let public = of.public();
    let initializer = public.iter().find(|(_, item)| item.name() == "Initializer");
    let variants = initializer.and_then(|(_, item)| item.inner("enum")).map(|inner| &inner["variants"]);
    let variants = variants.into_iter().flat_map(|variants| of.items(variants));
    variants.map(|variant| initializer_entry(of, variant)).collect()
}

fn initializer_entry(of: &Crate, variant: Item) -> Entry {
    let fields = variant.inner("variant").map(|inner| &inner["kind"]["struct"]["fields"]);
    let fields: Vec<&str> = fields.into_iter().flat_map(|fields| of.items(fields)).map(Item::name).collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" {{ {} }}", fields.join(", ")) };
    let name = format!("Initializer::{}{fields}", variant.name());
    let mut entry =
        Entry::new(variant.file().to_string(), "nn/initializer".to_string(), name, variant.docs());
    let torch: Vec<String> =
        docs::torch_names(&docs::prose(variant.docs())).iter().map(|name| format!("`{name}`")).collect();
    entry.counterpart = (!torch.is_empty()).then(|| Counterpart::Named(torch.join(", ")));
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read_crate(items: Value) -> Crate {
        let ids: Vec<&Value> = items.as_array().unwrap().iter().map(|item| &item["id"]).collect();
        let mut index = serde_json::Map::new();
        index.insert("0".into(), json!({"id": 0, "inner": {"module": {"items": ids}}}));
        for item in items.as_array().unwrap() {
            index.insert(item["id"].to_string(), item.clone());
            let function = |name: &str| json!({"id": 99, "name": name, "inner": {"function": {}}});
            for (id, name) in [(90, "forward"), (91, "try_init")] {
                index.insert(id.to_string(), function(name));
                index
                    .insert((id + 2).to_string(), json!({"inner": {"impl": {"trait": null, "items": [id]}}}));
            }
        }
        Crate::of(json!({"root": 0, "index": index})).unwrap()
    }

    #[test]
    fn layers_and_products_of_configs_are_found() {
        let ty = |id: u8, name: &str, docs: &str, inner: Value| {
            let span = json!({"filename": "crates/burn-nn/src/pool/max.rs"});
            json!({"id": id, "name": name, "docs": docs, "span": span, "inner": inner})
        };
        let (with_forward, with_init) =
            (json!({"struct": {"impls": [92]}}), json!({"struct": {"impls": [93]}}));
        let of = read_crate(json!([
            ty(1, "Max", "Max pooling. PyTorch: `torch.nn.MaxPool1d`.", with_forward),
            ty(2, "DecayConfig", "Decay (Smith 2017).", with_init.clone()),
            ty(3, "Decay", "See [`DecayConfig`].", json!({"type_alias": {}})),
            ty(4, "MeanConfig", "Average. PyTorch has no counterpart.", with_init),
            ty(5, "OptionsConfig", "", json!({"struct": {"impls": []}})),
        ]));
        let entries = read(&of, "nn");
        let found: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.has_source())).collect();
        assert_eq!(found, [("Decay", true), ("Max", true), ("MeanConfig", true)]);
        assert_eq!(entries[0].papers, ["Smith 2017"]);
        assert_eq!(
            (entries[1].torch_names(), entries[1].family.as_str()),
            (vec!["torch.nn.MaxPool1d".to_string()], "nn/pool")
        );
    }

    #[test]
    fn variants_are_entries_with_their_fields() {
        let docs = "Normal with `std = gain` (He et al. 2015; `torch.nn.init.kaiming_normal_`). More.";
        let kind = json!({"struct": {"fields": [3]}});
        let variant =
            json!({"id": 2, "name": "KaimingNormal", "docs": docs, "inner": {"variant": {"kind": kind}}});
        let field = json!({"id": 3, "name": "gain", "inner": {"struct_field": {}}});
        let initializer = json!({"id": 1, "name": "Initializer", "inner": {"enum": {"variants": [2]}}});
        let entries = initializers(&read_crate(json!([initializer, variant, field])));
        assert_eq!(entries[0].name, "Initializer::KaimingNormal { gain }");
        assert_eq!(entries[0].summary, "Normal with `std = gain`");
        assert_eq!(entries[0].torch_names(), ["torch.nn.init.kaiming_normal_"]);
    }
}
