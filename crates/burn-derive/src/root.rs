//! Path to the traits for derived code: in `burn-core`, or in the facade `burn`, under whatever name.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::path::Path;

/// Returns the path of the crate that holds `config`, `module` and `record`, as the crate being compiled sees
/// it.
pub fn root() -> TokenStream {
    let name = Ident::new(&root_name(), Span::call_site());
    quote!(::#name)
}

fn root_name() -> String {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    if package == "burn-core" || package == "burn" {
        // Both name themselves (`extern crate self as ..`), so that their tests and docs see the same path.
        return package.replace('-', "_");
    }
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("Cargo.toml")).ok())
        .unwrap_or_default();
    // The core first: a crate of ours may have the facade among its dev-dependencies only.
    ["burn-core", "burn"]
        .iter()
        .find_map(|package| dependency_name(&manifest, package))
        .unwrap_or_else(|| String::from("burn"))
}

/// The name under which `manifest` depends on `package`.
fn dependency_name(manifest: &str, package: &str) -> Option<String> {
    let mut table = Table::Other;
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            table = Table::of(header.trim_end_matches(']'));
            if matches!(&table, Table::Of(key) if key == package) {
                return Some(package.replace('-', "_"));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.trim().split('.').next().unwrap_or_default().trim_matches('"');
        match &table {
            Table::Dependencies if key == package || names_package(value, package) => {
                return Some(key.replace('-', "_"));
            }
            Table::Of(name) if key == "package" && value.trim().trim_matches('"') == package => {
                return Some(name.replace('-', "_"));
            }
            Table::Dependencies | Table::Of(_) | Table::Other => {}
        }
    }
    None
}

/// A `[table]` of a manifest.
enum Table {
    /// `[dependencies]`, `[dev-dependencies]`, `[target.'..'.dependencies]`.
    Dependencies,
    /// `[dependencies.name]`.
    Of(String),
    Other,
}

impl Table {
    fn of(header: &str) -> Self {
        let is_list = |table: &str| table == "dependencies" || table.ends_with("-dependencies");
        let mut parts = header.rsplitn(3, '.');
        let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if is_list(last) {
            Table::Dependencies
        } else if is_list(before) {
            Table::Of(last.trim_matches('"').to_owned())
        } else {
            Table::Other
        }
    }
}

/// `{ package = "burn", .. }`.
fn names_package(value: &str, package: &str) -> bool {
    value
        .split_once("package")
        .and_then(|(_, rest)| rest.trim_start().strip_prefix('='))
        .is_some_and(|rest| rest.trim_start().starts_with(&format!("\"{package}\"")))
}

#[cfg(test)]
mod tests {
    use super::dependency_name;

    fn found(manifest: &str) -> Option<String> {
        dependency_name(manifest, "burn")
    }

    #[test]
    fn dependency_forms_give_the_name_in_code() {
        assert_eq!(found("[dependencies]\nburn = \"0.1\""), Some("burn".into()));
        assert_eq!(found("[dependencies]\nburn.workspace = true"), Some("burn".into()));
        assert_eq!(found("[dependencies.burn]\npath = \"..\""), Some("burn".into()));
        assert_eq!(found("[target.'cfg(unix)'.dependencies]\nburn = { path = \"..\" }"), Some("burn".into()));
        assert_eq!(found("[dev-dependencies]\nmy-burn = { package = \"burn\" }"), Some("my_burn".into()));
        assert_eq!(found("[dependencies.mine]\npackage = \"burn\""), Some("mine".into()));
    }

    #[test]
    fn other_tables_and_packages_are_not_the_dependency() {
        assert_eq!(found("[package]\nburn = 1"), None);
        assert_eq!(found("[dependencies]\nburn-ndarray = \"0.1\""), None);
        assert_eq!(found("[features]\nburn = []"), None);
    }
}
