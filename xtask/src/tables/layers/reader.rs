//! Reads the public types out of the sources: those with a `forward`, and those that a config makes.

use super::super::macros::Macros;
use super::super::syntax::{documentation, folder, has, is_hidden, module, names, parse_all};
use super::entry::Entry;
use crate::Outcome;
use std::collections::{BTreeMap, HashSet};
use syn::{Attribute, ImplItem, Item, ItemImpl, Type, UseTree, Visibility};

/// A crate whose types are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crate {
    pub(super) sources: &'static str,
    /// First part of [`Entry::family`].
    pub(super) name: &'static str,
}

/// Reads the files of a crate: their paths below the sources and their texts.
pub(super) fn read(of: Crate, files: &[(String, String)]) -> Outcome<Vec<Entry>> {
    let parsed = parse_all(files)?;
    let mut reader = Reader { macros: Macros::of(&parsed), ..Reader::default() };
    for (place, file) in &parsed {
        reader.exports(place, &file.items);
    }
    for (place, file) in &parsed {
        reader.items(place, &file.items)?;
    }
    Ok(reader.entries(of))
}

#[derive(Default)]
struct Reader {
    macros: Macros,
    /// Names that some module makes public for another one.
    exported: HashSet<String>,
    /// Names, and modules with all their names, that are public at the root of the crate.
    at_root: HashSet<String>,
    /// Modules that programs can name, or of which another module exports everything.
    public: HashSet<String>,
    /// Documentation of types by name and file; two modules may have types of one name.
    types: BTreeMap<(String, String), String>,
    /// Types with a method `forward..`.
    with_forward: HashSet<String>,
    /// Configs with a method `init`.
    with_init: HashSet<String>,
}

impl Reader {
    fn exports(&mut self, place: &str, items: &[Item]) {
        let folder = folder(place);
        for item in items {
            match item {
                Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => {
                    let mut used = HashSet::new();
                    names(&item.tree, &mut used);
                    if let UseTree::Path(path) = &item.tree
                        && let UseTree::Glob(_) = &*path.tree
                    {
                        self.public.insert(format!("{folder}{}", path.ident));
                        used.insert(path.ident.to_string());
                    }
                    if place == "lib" {
                        self.at_root.extend(used.iter().cloned());
                    }
                    self.exported.extend(used);
                }
                Item::Mod(item) if matches!(item.vis, Visibility::Public(_)) => {
                    self.public.insert(format!("{folder}{}", item.ident));
                }
                _ => {}
            }
        }
    }

    fn items(&mut self, place: &str, items: &[Item]) -> Outcome {
        for item in items {
            match item {
                Item::Struct(item) => self.type_of(place, &item.vis, &item.ident, &item.attrs),
                Item::Enum(item) => self.type_of(place, &item.vis, &item.ident, &item.attrs),
                Item::Type(item) => self.type_of(place, &item.vis, &item.ident, &item.attrs),
                Item::Impl(block) if block.trait_.is_none() => self.block(place, block)?,
                Item::Macro(item) if item.ident.is_none() => {
                    let items = self.macros.items(place, &item.mac)?;
                    self.items(place, &items)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn type_of(&mut self, place: &str, visibility: &Visibility, name: &syn::Ident, attributes: &[Attribute]) {
        let is_listed = matches!(visibility, Visibility::Public(_)) && !has(attributes, "deprecated");
        if is_listed && !is_hidden(attributes) {
            self.types.insert((name.to_string(), place.to_string()), documentation(attributes));
        }
    }

    fn block(&mut self, place: &str, block: &ItemImpl) -> Outcome {
        let Type::Path(path) = &*block.self_ty else { return Ok(()) };
        let Some(owner) = path.path.segments.last().map(|last| last.ident.to_string()) else { return Ok(()) };
        for item in &block.items {
            match item {
                ImplItem::Fn(function) if matches!(function.vis, Visibility::Public(_)) => {
                    let name = function.sig.ident.to_string();
                    let plain = name.strip_prefix("try_").unwrap_or(&name);
                    if plain.starts_with("forward") {
                        self.with_forward.insert(owner.clone());
                    } else if plain == "init" && owner.ends_with("Config") {
                        self.with_init.insert(owner.clone());
                    }
                }
                ImplItem::Macro(call) => {
                    let block = self.macros.block(place, block, &call.mac)?;
                    self.block(place, &block)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn entries(&self, of: Crate) -> Vec<Entry> {
        let public = self.types.iter().filter(|((name, place), _)| self.is_public(name, place));
        public.filter_map(|((name, place), docs)| self.entry(of, name, place, docs)).collect()
    }

    /// Returns the entry of a type that is listed: a layer, what a config makes, or a config whose product is
    /// named otherwise.
    fn entry(&self, of: Crate, name: &str, place: &str, docs: &str) -> Option<Entry> {
        let config = format!("{name}Config");
        let is_made = self.with_init.contains(&config);
        let makes_another = self.with_init.contains(name)
            && name.strip_suffix("Config").is_none_or(|product| self.docs_of(product, place).is_none());
        if !self.with_forward.contains(name) && !is_made && !makes_another {
            return None;
        }
        let entry = |docs: &str| {
            let file = format!("{}/{place}.rs", of.sources);
            let family = place.split('/').next().unwrap_or_default();
            Entry::new(file, format!("{}/{family}", of.name), self.path(name, family), docs)
        };
        let own = entry(docs);
        // A type that only says "See its config" is documented there.
        let by_config = || self.docs_of(&config, place).map(entry).filter(Entry::has_source);
        Some(if own.has_source() { own } else { by_config().unwrap_or(own) })
    }

    /// Returns the documentation of the type `name`, of the one in the file `place` if there are several.
    fn docs_of(&self, name: &str, place: &str) -> Option<&str> {
        let named = self.types.iter().filter(|((known, _), _)| known == name);
        named.max_by_key(|((_, known), _)| known == place).map(|(_, docs)| docs.as_str())
    }

    fn is_public(&self, name: &str, place: &str) -> bool {
        self.exported.contains(name) || self.public.contains(module(place))
    }

    /// Returns the path below the crate: that of the root where there is one.
    fn path(&self, name: &str, family: &str) -> String {
        let is_at_root = self.at_root.contains(name) || self.at_root.contains(family);
        if is_at_root || !self.public.contains(family) {
            name.to_string()
        } else {
            format!("{family}::{name}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIB: &str =
        "mod relu; pub mod pool; mod padding; pub mod lr; pub use relu::Relu; pub use padding::*;";
    const POOL: &str = r#"
        pub use max_pool::{MaxPool1d, MaxPool1dConfig};"#;
    const MAX_POOL: &str = r#"
        macro_rules! pool {
            ($(#[$docs:meta])* $layer:ident, $config:ident) => {
                #[doc = concat!("Options of [`", stringify!($layer), "`].")]
                pub struct $config { pub size: usize }
                impl $config { pub fn try_init(&self) -> Result<$layer, ConfigError> {} }
                $(#[$docs])*
                pub struct $layer;
                impl $layer { pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {} }
            };
        }
        pool! {
            /// Max pooling. PyTorch: `torch.nn.MaxPool1d`.
            MaxPool1d, MaxPool1dConfig
        }
        pub struct Windows;
        impl Windows { pub fn forward(&self) {} }"#;
    const SCHEDULES: &str = r#"
        /// Decay (Smith 2017).
        pub struct DecayConfig;
        impl DecayConfig { pub fn init(&self) -> Decay {} }
        /// See [`DecayConfig`].
        pub type Decay = Scheduled<DecayConfig>;
        /// Average. PyTorch has no counterpart.
        pub struct MeanConfig;
        impl MeanConfig { pub fn init(&self) -> Average {} }
        pub struct OptionsConfig { pub size: usize }"#;

    #[test]
    fn layers_of_macros_and_products_of_configs_are_found() {
        let files = [
            ("lib", LIB),
            ("lr", SCHEDULES),
            ("padding", "pub enum Padding { Same }"),
            ("pool/max_pool", MAX_POOL),
            ("pool/mod", POOL),
            (
                "relu",
                "/// Rectified.\npub struct Relu;\nimpl Relu { pub fn forward(&self) {} fn init(&self) {} }",
            ),
        ];
        let files = files.map(|(place, text)| (place.to_string(), text.to_string()));
        let entries = read(Crate { sources: "crates/nn/src", name: "nn" }, &files).expect("it parses");
        let found: Vec<_> = entries
            .iter()
            .map(|entry| (entry.name.as_str(), entry.family.as_str(), entry.has_source()))
            .collect();
        assert_eq!(
            found,
            [
                ("lr::Decay", "nn/lr", true),
                ("pool::MaxPool1d", "nn/pool", true),
                ("lr::MeanConfig", "nn/lr", true),
                ("Relu", "nn/relu", false),
            ]
        );
        assert_eq!(entries[0].papers, ["Smith 2017"]);
        assert_eq!(entries[1].torch_names(), ["torch.nn.MaxPool1d"]);
    }
}
