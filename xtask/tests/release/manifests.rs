use super::{local_dependencies, published, read};
use repository::packages::{list, text};
use repository::workspace::root;
use serde_json::Value;

/// Those of the crates.io list that fit.
const CATEGORIES: [&str; 3] = ["mathematics", "no-std", "science"];

#[test]
fn x_702_all_crates_and_nothing_else_can_be_published() {
    let folders = std::fs::read_dir(root().join("crates")).expect("crates");
    let mut crates: Vec<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().expect("text")).collect();
    crates.sort();
    assert_eq!(published().into_keys().collect::<Vec<_>>(), crates);
}

#[test]
fn x_702_manifests_have_what_a_registry_asks_for() {
    for (name, package) in published() {
        for key in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(!text(&package, key).is_empty(), "{name}: no {key}");
        }
        let words = |key: &str| list(&package[key]).iter().map(|word| word.as_str().unwrap());
        let fits =
            |word: &str| word.len() <= 20 && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let number = words("keywords").count();
        assert!(
            (1..=5).contains(&number) && words("keywords").all(fits),
            "{name}: {:?}",
            package["keywords"]
        );
        let is_known = |word: &str| CATEGORIES.contains(&word);
        assert!(words("categories").count() > 0 && words("categories").all(is_known), "{name}: categories");
    }
}

/// Dependencies have the version of the crate; those of tests have none, so that cargo leaves them out: they
/// go round in circles, and a publication could begin nowhere.
#[test]
fn x_702_dependencies_between_crates_have_versions_and_those_of_tests_none() {
    let published = published();
    for (name, package) in &published {
        for dependency in local_dependencies(package) {
            let (other, version) = (text(dependency, "name"), text(dependency, "req"));
            if text(dependency, "kind") == "dev" {
                assert_eq!(version, "*", "{name}: the dev-dependency {other} has a version");
            } else {
                let own = published.get(other).unwrap_or_else(|| panic!("{name}: {other} is not published"));
                assert_eq!(version, format!("^{}", text(own, "version")), "{name}: {other}");
            }
        }
    }
}

/// A crate with features of its own has all of them on docs.rs that need no library of a vendor, and badges.
#[test]
fn x_702_docs_rs_builds_all_features_with_badges() {
    let own = |name: &&String| !matches!(name.as_str(), "default" | "std") && !name.starts_with("test-");
    for (name, package) in published() {
        let features = package["features"].as_object().expect("features");
        let features: Vec<&String> = features.keys().filter(own).collect();
        // Each of these builds a library of a vendor.
        let needs_library = |feature: &str| match name.as_str() {
            "burn" => ["candle-cuda", "candle-metal", "tch"].contains(&feature),
            "burn-candle" => true,
            _ => false,
        };
        if features.iter().all(|feature| needs_library(feature)) {
            continue;
        }
        let docs = &package["metadata"]["docs"]["rs"];
        let listed = |feature: &&&String| match &docs["features"] {
            Value::Array(listed) => listed.iter().any(|other| other.as_str() == Some(feature.as_str())),
            _ => docs["all-features"] == Value::Bool(true),
        };
        let unlisted: Vec<_> = features
            .iter()
            .filter(|feature| !needs_library(feature))
            .filter(|feature| !listed(feature))
            .collect();
        assert!(unlisted.is_empty(), "{name}: docs.rs would lack {unlisted:?}");
        assert_eq!(docs["rustdoc-args"].to_string(), r#"["--cfg","docsrs"]"#, "{name}");
        let badges = "#![cfg_attr(docsrs, feature(doc_cfg))]";
        assert!(read(&format!("crates/{name}/src/lib.rs")).contains(badges), "{name}: no badges");
    }
}

/// The facade's front page has a row for each of its public modules.
#[test]
fn x_702_the_front_page_of_the_facade_is_a_map_of_its_modules() {
    let page = read("crates/burn/src/lib.rs");
    let (map, code) = page.split_once("#![cfg_attr(not(feature = \"std\"), no_std)]").expect("attributes");
    let names = code.split([' ', ',', '{', '}', ':', ';', '\n']).filter(|word| !word.is_empty());
    let names: Vec<&str> = names.collect();
    for module in [
        "backend", "config", "data", "module", "nn", "optim", "prelude", "record", "tensor", "train",
        "weights",
    ] {
        assert!(names.iter().any(|name| name.ends_with(module)), "{module} is no module");
        assert!(map.contains(&format!("[`{module}`]")) || map.contains(&format!("[`{module}::")), "{module}");
    }
}
