//! The rows of the specification that are about the files of the repository.

use repository::process;
use repository::workspace::{self, root};
use std::fs;
use std::path::PathBuf;

fn read(path: &str) -> String {
    workspace::read(path).unwrap()
}

/// The value of `key = "value"` in a manifest.
fn value(manifest: &str, key: &str) -> Option<String> {
    let line = manifest.lines().find(|line| line.split(" = ").next() == Some(key))?;
    Some(line.split('"').nth(1)?.to_string())
}

fn crates() -> Vec<(String, String)> {
    let folders = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let names = folders.map(|name| name.into_string().unwrap());
    names.map(|name| (name.clone(), read(&format!("crates/{name}/Cargo.toml")))).collect()
}

#[test]
fn f_017_the_minimum_rust_version_is_in_every_manifest_and_the_readme() {
    let version = value(&read("Cargo.toml"), "rust-version").expect("the root manifest states it");
    assert!(
        read("README.md").contains(&format!("Rust {version}")),
        "README.md does not state Rust {version}"
    );
    for (name, manifest) in crates() {
        assert!(manifest.contains("rust-version.workspace = true"), "{name}");
    }
}

#[test]
fn f_022_every_crate_has_both_licences_and_their_texts_are_there() {
    assert_eq!(value(&read("Cargo.toml"), "license").as_deref(), Some("MIT OR Apache-2.0"));
    for (name, manifest) in crates() {
        assert!(manifest.contains("license.workspace = true"), "{name}");
    }
    assert!(read("LICENSE-MIT").contains("Permission is hereby granted, free of charge"));
    let apache = read("LICENSE-APACHE");
    assert!(apache.contains("Version 2.0, January 2004") && apache.contains("END OF TERMS AND CONDITIONS"));
}

/// Runs cargo in the root of the workspace; returns what it prints.
fn cargo(arguments: &[&str]) -> String {
    process::output(&mut process::cargo(arguments)).unwrap()
}

/// `cargo tree` of `package`: a line `name features` for each crate that it is built with here.
fn built_with(package: &str, features: &str) -> Vec<String> {
    let tree = ["tree", "--package", package, "--no-default-features", "--features", features];
    let lines = ["--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--format", "{lib} {f}"];
    let mut crates: Vec<String> =
        cargo(&[&tree[..], &lines[..]].concat()).lines().map(String::from).collect();
    crates.sort();
    crates.dedup();
    crates
}

#[test]
fn f_011_the_feature_ndarray_is_a_default_and_needs_no_other() {
    let manifest = read("crates/burn/Cargo.toml");
    let default = manifest.lines().find(|line| line.starts_with("default = [")).expect("default features");
    assert!(default.contains("\"ndarray\""), "{default}");
    let crates = built_with("burn", "ndarray");
    let own: Vec<&String> = crates.iter().filter(|line| line.starts_with("burn_")).collect();
    assert!(own.iter().any(|line| line.starts_with("burn_ndarray ")), "{own:?}");
    assert!(own.iter().all(|line| !line.contains("std")), "{own:?}");
}

#[test]
fn f_008_the_feature_train_brings_datasets_gradients_optimizers_and_the_learner() {
    let crates = built_with("burn", "train");
    for name in ["burn_autodiff ", "burn_dataset ", "burn_optim ", "burn_train "] {
        assert!(crates.iter().any(|line| line.starts_with(name)), "{name}: {crates:?}");
    }
    assert!(built_with("burn", "std").iter().all(|line| !line.starts_with("burn_train ")));
}

#[test]
fn f_010_the_feature_vision_brings_images_and_the_download_of_mnist() {
    let crates = built_with("burn", "vision");
    let dataset = crates.iter().find(|line| line.starts_with("burn_dataset ")).expect("datasets");
    assert!(dataset.contains("vision") && dataset.contains("download"), "{dataset}");
    assert!(crates.iter().any(|line| line.starts_with("image ")), "{crates:?}");
}

#[test]
fn bk_001_the_cpu_backend_is_rust_alone() {
    let crates = built_with("burn-ndarray", "std");
    let names: Vec<&str> = crates.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(names.contains(&"burn_ndarray") && names.contains(&"gemm_f32"), "{names:?}");
    let compiles_c = |name: &&str| {
        name.ends_with("_sys") || ["cc", "cmake", "bindgen", "pkg_config", "vcpkg", "nasm_rs"].contains(name)
    };
    assert_eq!(names.into_iter().find(compiles_c), None);
}

#[test]
fn f_019_examples_run_from_the_root_by_name() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("f_019");
    let artifacts = folder.to_str().expect("text");
    let small = ["--images", "64", "--epochs", "1", "--artifacts", artifacts];
    let output = cargo(&[&["run", "--quiet", "--example", "guide", "--"], &small[..]].concat());
    assert!(output.contains("test accuracy: "), "{output}");
    fs::remove_dir_all(folder).expect("the run left its artifacts");
    let output = cargo(&["run", "--quiet", "--example", "minimal-backend"]);
    // The square of the matrix of 1 to 4, and by how much its elements are above 2.
    assert_eq!(output.trim(), "[7.0, 10.0, 15.0, 22.0]\n[0.0, 0.0, 1.0, 2.0]");
    let output = cargo(&["run", "--quiet", "--example", "named-tensor"]);
    assert!(output.lines().count() > 1, "{output}");
}

#[test]
fn ex_019_an_example_is_a_library_and_programs() {
    let folders = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    for folder in folders.filter(|path| path.is_dir()) {
        for file in ["Cargo.toml", "src/lib.rs"] {
            assert!(folder.join(file).is_file(), "{}: no {file}", folder.display());
        }
        let programs = fs::read_dir(folder.join("examples")).into_iter().flatten().flatten();
        let is_rust = |path: PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        assert!(programs.map(|entry| entry.path()).any(is_rust), "{}: no program", folder.display());
    }
}

#[test]
fn ex_020_the_book_lists_well_known_models_and_their_architectures_are_tested() {
    let page = read("burn-book/src/import/models.md");
    let (_, list) = page.split_once("## Well-known models\n").expect("the list has a title");
    let rows: Vec<&str> = list.lines().skip_while(|line| !line.starts_with('|')).collect();
    let rows: Vec<&str> = rows.into_iter().take_while(|line| line.starts_with('|')).skip(2).collect();
    for name in ["MobileNetV2", "SqueezeNet", "ResNet", "YOLOX", "BERT", "RoBERTa", "Llama"] {
        let of_name = rows.iter().filter(|row| row.starts_with(&format!("| {name}")));
        assert_eq!(of_name.count(), 1, "{name}");
    }
    // Tiny models of both exporters of PyTorch, which the tests of `burn-onnx` run.
    for exporter in ["torchscript", "dynamo"] {
        for model in ["mobilenet_v2", "squeezenet", "resnet18", "yolo", "bert", "llama"] {
            let folder = root().join("crates/burn-onnx/tests/exports").join(exporter).join(model);
            assert!(folder.join("model.onnx").is_file(), "{}", folder.display());
        }
    }
}
