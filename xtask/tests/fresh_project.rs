//! A project of a user, from nothing. It compiles much once more, so it runs with the feature
//! `fresh-project` only (`cargo xtask test --extended`).
#![cfg(feature = "fresh-project")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = r#"
use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    inner: burn::module::Param<Tensor<B, 2>>,
}

fn main() {
    let device = Default::default();
    let inner = burn::module::Param::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let model = Model::<Autodiff<NdArray>> { inner };
    let gradients = (model.inner.val() * model.inner.val()).sum().backward();
    let gradient = model.inner.val().grad(&gradients).unwrap();
    println!("{:?}", gradient.into_data().to_vec::<f32>().unwrap());
}
"#;

/// Those of `Cargo.toml` for what others wrote.
const SETTINGS: [&str; 2] =
    ["profile.dev.package.'*'.opt-level = 2", "profile.dev.package.'*'.debug = false"];

/// A folder that is gone afterwards.
struct Project(PathBuf);

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn f_016_a_project_of_edition_2021_builds_unmodified() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let project = Project(std::env::temp_dir().join(format!("burn-fresh-project-{}", std::process::id())));
    fs::create_dir_all(project.0.join("src")).unwrap();
    let burn = root.join("crates/burn");
    let manifest = format!(
        "[package]\nname = \"fresh\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
         [dependencies]\nburn = {{ path = {burn:?} }}\n\n[workspace]\n"
    );
    fs::write(project.0.join("Cargo.toml"), manifest).unwrap();
    fs::write(project.0.join("src/main.rs"), PROGRAM).unwrap();
    // The versions that this repository is tested with.
    fs::copy(root.join("Cargo.lock"), project.0.join("Cargo.lock")).unwrap();
    // In the folder of this workspace and, but for its own crates, with its settings: what is alike is not built once more.
    let mut run = Command::new(env!("CARGO"));
    run.current_dir(&project.0).args(["run", "--quiet", "--target-dir"]).arg(root.join("target"));
    let own = fs::read_dir(root.join("crates")).unwrap().map(|folder| folder.unwrap().file_name());
    let own = own.map(|name| format!("profile.dev.package.{}.opt-level = 0", name.to_string_lossy()));
    for setting in SETTINGS.map(String::from).into_iter().chain(own) {
        run.args(["--config", &setting]);
    }
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "[2.0, 4.0, 6.0, 8.0]");
}
