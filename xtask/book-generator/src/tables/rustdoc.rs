//! Public items of a crate, from rustdoc's JSON.

use repository::{Outcome, workspace};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;

/// Documentation of a crate.
pub(super) struct Crate {
    index: Map<String, Value>,
    root: Value,
}

impl Crate {
    /// Reads what `cargo doc` wrote beside the pages of a package.
    ///
    /// # Errors
    /// The file is not there, or this version of rustdoc writes another format.
    pub(super) fn read(package: &str) -> Outcome<Self> {
        let path = workspace::target().join("doc").join(package.replace('-', "_")).with_extension("json");
        let text = fs::read(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        let json = serde_json::from_slice(&text).map_err(|cause| format!("{}: {cause}", path.display()))?;
        Self::of(json).ok_or_else(|| format!("{}: unknown format of rustdoc's JSON", path.display()))
    }

    pub(super) fn of(mut json: Value) -> Option<Self> {
        let (root, index) = (json["root"].take(), json["index"].take());
        let Value::Object(index) = index else { return None };
        let read = Crate { index, root };
        read.item(&read.root)?.inner("module").map(drop)?;
        Some(read)
    }

    fn item<'a>(&'a self, id: &Value) -> Option<Item<'a>> {
        self.index.get(&id.to_string()).map(Item)
    }

    /// Returns the items of an item's list of ids.
    pub(super) fn items<'a>(&'a self, ids: &'a Value) -> impl Iterator<Item = Item<'a>> {
        ids.as_array().into_iter().flatten().filter_map(|id| self.item(id))
    }

    /// Returns the inherent impl blocks of a struct or an enum.
    pub(super) fn impls<'a>(&'a self, of: Item<'a>) -> impl Iterator<Item = &'a Value> {
        let inner = of.inner("struct").or(of.inner("enum")).unwrap_or(&Value::Null);
        let blocks = self.items(&inner["impls"]).filter_map(|block| block.inner("impl"));
        blocks.filter(|block| block["trait"].is_null())
    }

    /// Returns all items that programs can name, each with the shortest of its paths, without the crate.
    pub(super) fn public(&self) -> Vec<(String, Item<'_>)> {
        let mut found = BTreeMap::new();
        if let Some(root) = self.item(&self.root) {
            self.walk(root, &mut Vec::new(), &mut found);
        }
        found.into_values().map(|(path, item): (Vec<String>, Item<'_>)| (path.join("::"), item)).collect()
    }

    /// Returns the names of the public modules at the root of the crate.
    pub(super) fn modules(&self) -> Vec<&str> {
        let root = self.item(&self.root).and_then(|root| root.inner("module"));
        let items = self.items(root.map_or(&Value::Null, |root| &root["items"]));
        items.filter(|item| item.inner("module").is_some()).map(Item::name).collect()
    }

    fn walk<'a>(
        &'a self,
        module: Item<'a>,
        path: &mut Vec<String>,
        found: &mut BTreeMap<String, (Vec<String>, Item<'a>)>,
    ) {
        let ids = module.inner("module").map_or(&Value::Null, |module| &module["items"]);
        for item in self.items(ids) {
            let import = item.inner("use");
            let target = import.map_or(Some(item), |import| self.item(&import["id"]));
            let Some(target) = target else { continue };
            if import.is_some_and(|import| import["is_glob"] == true) {
                self.walk(target, path, found);
                continue;
            }
            let name = import.and_then(|import| import["name"].as_str()).unwrap_or(target.name());
            path.push(name.to_string());
            if target.inner("module").is_some() {
                self.walk(target, path, found);
            } else {
                let known = found.get(&target.id()).map(|(known, _)| known.len());
                if known.is_none_or(|known| path.len() < known) {
                    found.insert(target.id(), (path.clone(), target));
                }
            }
            path.pop();
        }
    }
}

/// Item of a crate.
#[derive(Clone, Copy)]
pub(super) struct Item<'a>(&'a Value);

impl<'a> Item<'a> {
    fn id(self) -> String {
        self.0["id"].to_string()
    }

    pub(super) fn name(self) -> &'a str {
        self.0["name"].as_str().unwrap_or_default()
    }

    pub(super) fn docs(self) -> &'a str {
        self.0["docs"].as_str().unwrap_or_default()
    }

    pub(super) fn is_deprecated(self) -> bool {
        !self.0["deprecation"].is_null()
    }

    /// Returns whether an attribute contains a text.
    pub(super) fn has_attribute(self, text: &str) -> bool {
        let attributes = self.0["attrs"].as_array().into_iter().flatten();
        attributes.filter_map(|attribute| attribute["other"].as_str()).any(|other| other.contains(text))
    }

    /// Returns the file from the root of the workspace.
    pub(super) fn file(self) -> &'a str {
        self.0["span"]["filename"].as_str().unwrap_or_default()
    }

    /// Returns the path of the file below the sources of its crate, without the extension.
    pub(super) fn module(self) -> &'a str {
        let file = self.file().split_once("/src/").map_or("", |(_, file)| file);
        file.strip_suffix(".rs").unwrap_or(file)
    }

    /// Returns the description of an item of a kind: `function`, `struct`, `impl`.
    pub(super) fn inner(self, kind: &str) -> Option<&'a Value> {
        self.0["inner"].get(kind)
    }
}
