use super::{cargo, local_dependencies, published, read};
use repository::packages::text;
use std::fs;
use std::path::Path;

/// The most bytes of a packed crate. crates.io takes ten times as many; fixtures of tests would be noticed.
const LARGEST: u64 = 1 << 20;

/// Names of packages in the order in which cargo packs them, which is the order of a publication.
fn order(log: &str) -> Vec<&str> {
    let lines = log.lines().filter_map(|line| line.trim_start().strip_prefix("Packaging "));
    lines.filter_map(|line| line.split(' ').next()).collect()
}

/// `cargo publish --dry-run` without its questions to the registry: each crate is packed, its manifest
/// resolved against those that were packed before it.
#[test]
fn x_702_every_crate_is_packed_after_its_dependencies() {
    let published = published();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("x_702");
    let target_dir = target.to_str().expect("text");
    let mut arguments = vec!["package", "--no-verify", "--allow-dirty", "--offline"];
    arguments.extend(["--target-dir", target_dir]);
    arguments.extend(published.keys().flat_map(|name| ["--package", name]));
    let output = cargo(&arguments);
    let log = String::from_utf8_lossy(&output.stderr);
    let order = order(&log);
    assert_eq!(order.len(), published.len(), "{log}");
    for (at, name) in order.iter().enumerate() {
        for dependency in local_dependencies(&published[*name]).filter(|other| text(other, "kind") != "dev") {
            let dependency = text(dependency, "name");
            assert!(order[..at].contains(&dependency), "{name} is packed before {dependency}");
        }
        let file = target.join(format!("package/{name}-{}.crate", text(&published[*name], "version")));
        let bytes = fs::metadata(&file).unwrap_or_else(|cause| panic!("{}: {cause}", file.display())).len();
        assert!(bytes < LARGEST, "{name} has {bytes} bytes");
    }
    fs::remove_dir_all(target).expect("packages were written");
}

/// Sources, licences and the README; no tests, fixtures, or programs of development.
#[test]
fn x_702_a_package_has_sources_and_licences_and_nothing_else() {
    const BESIDE: [&str; 5] =
        [".cargo_vcs_info.json", "Cargo.toml", "Cargo.toml.orig", "build.rs", "features.md"];
    let published = published();
    let mut arguments = vec!["package", "--list", "--allow-dirty", "--offline"];
    arguments.extend(published.keys().flat_map(|name| ["--package", name]));
    let lists = String::from_utf8(cargo(&arguments).stdout).expect("text");
    // The lists of all packages follow each other, without names; each has one of these.
    let lists: Vec<&str> = lists.split("Cargo.lock\n").skip(1).collect();
    assert_eq!(lists.len(), published.len());
    for list in lists {
        let (sources, mut beside): (Vec<&str>, Vec<&str>) =
            list.lines().partition(|file| file.replace('\\', "/").starts_with("src/"));
        assert!(sources.iter().any(|file| file.ends_with("lib.rs")), "{list}");
        beside.retain(|file| !BESIDE.contains(file));
        assert_eq!(beside, ["LICENSE-APACHE", "LICENSE-MIT", "README.md"], "{list}");
    }
}

/// A checkout without symbolic links would pack the text of the link in place of the licence.
#[test]
fn x_702_the_licences_of_a_crate_are_those_of_the_repository() {
    for name in published().keys() {
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(read(&format!("crates/{name}/{file}")) == read(file), "{name}: {file}");
        }
    }
}
