//! Projects of users, from nothing, outside of the repository. They compile much once more, so they run with
//! the feature `fresh-project` only (`cargo xtask test --extended`); what need not run is only checked.
#![cfg(feature = "fresh-project")]

mod nested_cargo;

use nested_cargo::cargo;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Settings of the root manifest for crates from a registry, so that these are not built once more.
const SETTINGS: [&str; 3] = [
    "profile.dev.debug = false",
    "profile.dev.package.'*'.opt-level = 2",
    "profile.dev.package.'*'.debug = false",
];

/// The features of [`Project::checks`]: one set, so that one check serves several tests.
const CHECKED: &str = "cuda,fusion,remote,router,vision,wgpu";

/// A package in a folder of its own that is gone afterwards.
struct Project {
    folder: PathBuf,
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

impl Project {
    /// Does what a user does: `cargo init`, `cargo add burn` with `features`, and writes `program`.
    fn new(name: &str, edition: &str, features: &[&str], program: &str) -> Self {
        let name = format!("fresh-{name}-{edition}");
        let project = Project { folder: std::env::temp_dir().join(format!("{name}-{}", std::process::id())) };
        fs::create_dir_all(&project.folder).unwrap();
        project.cargo(&["init", "--quiet", "--vcs", "none", "--name", &name, "--edition", edition]);
        // The versions that this repository is tested with.
        fs::copy(root().join("Cargo.lock"), project.folder.join("Cargo.lock")).unwrap();
        let burn = root().join("crates/burn");
        project.cargo(&[&["add", "--quiet", "--path", burn.to_str().unwrap()], features].concat());
        assert!(!program.contains("recursion_limit"), "no program needs it");
        fs::write(project.folder.join("src/main.rs"), program).unwrap();
        project
    }

    /// Runs cargo in the project and returns what it prints.
    fn cargo(&self, arguments: &[&str]) -> String {
        let output = cargo().current_dir(&self.folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "cargo {arguments:?}:\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Builds in the target folder of the workspace.
    fn built(&self, command: &str, program: &[&str]) -> String {
        let target = root().join("target");
        let mut arguments = vec![command, "--quiet", "--target-dir", target.to_str().unwrap()];
        let own = fs::read_dir(root().join("crates")).unwrap().map(|folder| folder.unwrap().file_name());
        let own = own.map(|name| format!("profile.dev.package.{}.opt-level = 0", name.to_string_lossy()));
        let settings: Vec<String> = SETTINGS.map(String::from).into_iter().chain(own).collect();
        arguments.extend(settings.iter().flat_map(|setting| ["--config", setting]));
        self.cargo(&[&arguments, program].concat())
    }

    /// `cargo run`: what the program prints.
    fn runs(&self, arguments: &[&str]) -> String {
        self.built("run", &[&["--"], arguments].concat()).trim().to_string()
    }

    /// `cargo run` of a program that says `no device` where there is none.
    fn runs_on_gpu(&self) -> Option<String> {
        let output = self.runs(&[]);
        if !output.starts_with("no device") {
            return Some(output);
        }
        assert!(std::env::var_os("BURN_REQUIRE_GPU").is_none(), "{output}");
        // Past the test runner, which keeps what tests print.
        writeln!(std::io::stdout(), "\nleft out: running a fresh project on a GPU: {output}").unwrap();
        None
    }
}

#[test]
fn f_004_backends_have_their_paths() {
    let program = include_str!("fresh_project/backends.rs");
    Project::new("backends", "2024", &["--features", CHECKED], program).built("check", &[]);
}

#[test]
fn f_008_the_feature_train_is_all_that_a_training_loop_needs() {
    let program = include_str!("fresh_project/learner.rs");
    let project = Project::new("learner", "2024", &["--features", "train"], program);
    let artifacts = project.folder.join("artifacts");
    // The line is 3 x + 1.
    assert_eq!(project.runs(&[artifacts.to_str().unwrap()]).lines().last(), Some("1.000 4.000"));
    assert!(artifacts.join("valid/epoch-20/Loss.log").is_file());
}

#[test]
fn f_009_the_feature_wgpu_needs_no_other() {
    let program = include_str!("fresh_project/wgpu_alone.rs");
    let project =
        Project::new("wgpu-alone", "2024", &["--no-default-features", "--features", "wgpu"], program);
    let name = project.runs(&[]);
    assert!(name.contains("WgpuRuntime, f32, i32>") && !name.contains("Fusion"), "{name}");
}

#[test]
fn f_010_the_feature_vision_has_mnist_and_folders_of_images() {
    let program = include_str!("fresh_project/images.rs");
    Project::new("images", "2024", &["--features", CHECKED], program).built("check", &[]);
}

#[test]
fn f_016_a_project_of_edition_2021_builds_unmodified() {
    let program = include_str!("fresh_project/gradients.rs");
    // The slope of a square is twice the number.
    assert_eq!(Project::new("gradients", "2021", &[], program).runs(&[]), "[2.0, 4.0, 6.0, 8.0]");
}

#[test]
fn f_018_cargo_add_with_wgpu_is_all_that_a_program_on_a_gpu_needs() {
    let program = include_str!("fresh_project/gpu.rs");
    let project = Project::new("gpu", "2024", &["--features", "wgpu"], program);
    if let Some(output) = project.runs_on_gpu() {
        assert_eq!(output, "[7.0, 10.0, 15.0, 22.0]");
    }
}

#[test]
fn f_020_the_guide_trains_in_release() {
    let artifacts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("f_020");
    let guide =
        ["run", "--release", "--quiet", "--example", "guide", "--", "--images", "256", "--epochs", "2"];
    let output = cargo().current_dir(root()).args(guide).arg("--artifacts").arg(&artifacts).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("test accuracy: "));
    fs::remove_dir_all(artifacts).expect("the run left its artifacts");
}

#[test]
fn f_021_no_edition_needs_a_recursion_limit() {
    let program = include_str!("fresh_project/gpu_training.rs");
    for edition in ["2021", "2024"] {
        let project = Project::new("gpu-training", edition, &["--features", "wgpu,fusion,optim"], program);
        if let Some(output) = project.runs_on_gpu() {
            assert_eq!(output, "[3, 2]");
        }
    }
}
