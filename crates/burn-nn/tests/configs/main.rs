//! Every config of the crate with wrong values: an error that names the field, no panic, and nothing large
//! that is allocated first. A binary of its own, because it counts what the allocator gives.

mod registry;
mod sweep;
mod values;

use fuzz_run::{CountingAllocator, thread_peak};
use registry::registry;
use std::collections::BTreeSet;
use std::path::Path;
use sweep::{Outcome, Random, check};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Other names of configs.
const ALIASES: [&str; 1] = ["PreluConfig"];

#[test]
fn configs_with_a_wrong_field_are_refused_by_name() {
    let (mut created, mut refused, mut failures) = (0, 0, Vec::new());
    for entry in registry() {
        (entry.all)(&mut |config, init| match check(entry.name, &config, init, &thread_peak) {
            Ok(Outcome::Created) => created += 1,
            Ok(Outcome::Refused) => refused += 1,
            Err(error) => failures.push(error),
        });
    }
    println!("{created} layers created, {refused} configs refused, {} went wrong", failures.len());
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
    assert!(created > 1000 && refused > 1000, "{created} created, {refused} refused");
}

#[test]
fn configs_with_wrong_combinations_are_refused_by_name() {
    let mut random = Random(40);
    let mut failures = Vec::new();
    for entry in registry() {
        for _ in 0..200 {
            (entry.random)(&mut random, &mut |config, init| {
                failures.extend(check(entry.name, &config, init, &thread_peak).err());
            });
        }
    }
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn configs_are_all_in_the_registry() {
    let listed: BTreeSet<&str> = registry().iter().map(|entry| entry.name).chain(ALIASES).collect();
    let mut exported = BTreeSet::new();
    exports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut exported);
    let missing: Vec<_> = exported.iter().filter(|name| !listed.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "configs without an entry in tests/configs/registry.rs: {missing:?}");
    assert!(exported.len() > 100, "{exported:?}");
}

/// Names in `pub use` of the sources that end with `Config`, and public type aliases that do.
fn exports(folder: &Path, names: &mut BTreeSet<String>) {
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            exports(&path, names);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let statements = text.split(';').filter_map(|statement| {
            let uses = statement.split("pub use ").nth(1);
            uses.or_else(|| statement.split("pub type ").nth(1)?.split('=').next())
        });
        let words = statements.flat_map(|words| words.split(|c: char| !c.is_alphanumeric() && c != '_'));
        names.extend(words.filter(|word| word.ends_with("Config") && *word != "Config").map(String::from));
    }
}
