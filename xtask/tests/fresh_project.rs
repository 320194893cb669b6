//! Projects of users, from nothing, outside of the repository. They compile much once more, so they run with
//! the feature `fresh-project` only (`cargo test --package xtask --features fresh-project`).
#![cfg(feature = "fresh-project")]

use repository::process::{self, cargo};
use repository::workspace::{read, root};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A package in a folder of its own that is gone afterwards.
struct Project {
    folder: PathBuf,
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Crates whose dependencies give crates of registries the features that `cargo xtask test --gpu` builds them
/// with.
const BESIDE: [(&str, &[&str]); 3] =
    [("burn-dataset", &["download"]), ("burn-train", &[]), ("burn-wgpu", &[])];

impl Project {
    /// Does what a user does: `cargo init`, `cargo add --path`, and writes `program`.
    fn new(name: &str, edition: &str, features: &str, program: &str) -> Self {
        Self::of_package(&format!("fresh-{name}-{edition}"), edition, features, program)
    }

    fn of_package(name: &str, edition: &str, features: &str, program: &str) -> Self {
        let project = Project { folder: std::env::temp_dir().join(format!("{name}-{}", std::process::id())) };
        fs::create_dir_all(&project.folder).unwrap();
        project.cargo(&["init", "--quiet", "--vcs", "none", "--name", name, "--edition", edition]);
        let burn = root().join("crates/burn");
        project.cargo(&["add", "--quiet", "--path", burn.to_str().unwrap(), "--features", features]);
        let manifest = project.folder.join("Cargo.toml");
        let mut text = fs::read_to_string(&manifest).unwrap();
        for (name, features) in BESIDE {
            let path = root().join("crates").join(name);
            text += &format!("{name} = {{ path = {path:?}, features = {features:?} }}\n");
        }
        // Crates of registries have the settings of this repository: CI has built them.
        for file in ["Cargo.toml", ".cargo/config.toml"] {
            let settings = read(file).unwrap();
            let settings = settings.split_once("\n[profile.").expect("profiles are at the end").1;
            text += &format!("\n[profile.{settings}");
        }
        fs::write(manifest, text).unwrap();
        // The versions that this repository is tested with.
        fs::copy(root().join("Cargo.lock"), project.folder.join("Cargo.lock")).unwrap();
        fs::write(project.folder.join("src/main.rs"), program).unwrap();
        project
    }

    /// Runs cargo in the project and returns what it prints.
    fn cargo(&self, arguments: &[&str]) -> String {
        process::output(cargo(arguments).current_dir(&self.folder)).unwrap()
    }

    /// `cargo run` in the target folder of the workspace: what the program prints.
    fn run(&self, arguments: &[&str]) -> String {
        // The folder of the tests' own files is in it.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let mut run = vec!["run", "--quiet", "--target-dir", target.to_str().unwrap()];
        let own = fs::read_dir(root().join("crates")).unwrap().map(|folder| folder.unwrap().file_name());
        let own = own.map(|name| format!("profile.dev.package.{}.opt-level = 0", name.to_string_lossy()));
        let settings: Vec<String> = own.collect();
        // Nothing here runs long.
        run.extend(settings.iter().flat_map(|setting| ["--config", setting]));
        run.push("--");
        self.cargo(&[&run[..], arguments].concat()).trim().to_string()
    }

    /// [`run`](Self::run) of a program that says `no device` where there is none.
    fn run_on_gpu(&self) -> Option<String> {
        let output = self.run(&[]);
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
    check_example("backends");
}

#[test]
fn f_008_the_feature_train_is_all_that_a_training_loop_needs() {
    let project = Project::new("learner", "2024", "train", include_str!("fresh_project/learner.rs"));
    let artifacts = project.folder.join("artifacts");
    let output = project.run(&[artifacts.to_str().unwrap()]);
    // The line is 3 x + 1.
    assert_eq!(output.lines().last(), Some("1.000 4.000"));
    assert!(artifacts.join("valid/epoch-20/Loss.log").is_file());
}

#[test]
fn f_009_the_feature_wgpu_adds_a_backend_that_is_not_lazy() {
    let program = r#"fn main() { println!("{}", std::any::type_name::<burn::backend::Wgpu<f32, i32>>()); }"#;
    let name = Project::new("wgpu", "2024", "wgpu", program).run(&[]);
    assert!(name.contains("WgpuRuntime") && !name.contains("Fusion"), "{name}");
}

#[test]
fn f_010_the_feature_vision_adds_mnist_and_folders_of_images() {
    check_example("images");
}

/// The blocks of a page of the book, one after the other: those of the language, and in Rust of the file.
fn blocks(page: &str, language: &str, file: &str) -> String {
    let text = read(root().join("burn-book/src").join(page)).unwrap();
    let (mut blocks, mut before) = (String::new(), "");
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix("```") == Some(language) && before.contains(file) {
            lines.by_ref().take_while(|line| *line != "```").for_each(|line| blocks += &format!("{line}\n"));
        }
        before = line;
    }
    assert!(!blocks.is_empty(), "{page} has no block of {file}");
    blocks
}

/// The first program of the book, as a reader types it, prints what the book says.
#[test]
fn the_first_program_of_the_book_prints_what_the_book_says() {
    let page = "getting-started.md";
    let program = blocks(page, "rust", "getting_started.rs:program");
    let printed = blocks(page, "text", "");
    let output = Project::new("getting-started", "2024", "std", &program).run(&[]);
    assert!(printed.starts_with(&format!("{output}\n")), "{output}\n{printed}");
}

/// The program of the README prints what it says there.
#[test]
fn the_program_of_the_readme_prints_what_the_readme_says() {
    let page = "../../README.md";
    let (program, printed) = (blocks(page, "rust", "main.rs"), blocks(page, "text", ""));
    assert_eq!(format!("{}\n", Project::new("readme", "2024", "std", &program).run(&[])), printed);
}

/// The pages of the guide, typed into a package, train a model.
#[test]
fn the_guide_of_the_book_trains_as_it_is_typed() {
    let page = |name: &str| format!("basic-workflow/{name}.md");
    // One epoch in place of thirty: this is an unoptimized build.
    let program =
        blocks(&page("backend"), "rust", "src/main.rs").replace("with_num_epochs(30)", "with_num_epochs(1)");
    let project = Project::of_package("guide", "2024", "train", &program);
    fs::write(project.folder.join("src/lib.rs"), blocks(&page("README"), "rust", "src/lib.rs")).unwrap();
    for name in ["model", "data", "training", "inference"] {
        let file = format!("src/{name}.rs");
        fs::write(project.folder.join(&file), blocks(&page(name), "rust", &file)).unwrap();
    }
    let output = project.run(&[]);
    assert!(output.lines().last().is_some_and(|line| line.starts_with("test accuracy: ")), "{output}");
    assert!(project.folder.join("artifacts/digits/model.mpk").is_file());
}

/// Checks a program of `facade-probe` as `cargo xtask check` does, so that one of them finds what the other
/// one made.
fn check_example(name: &str) {
    // The backend over LibTorch needs a library that may not be there, and the programs do not have it.
    let crates = ["clippy", "--workspace", "--exclude", "burn-tch", "--features", "benches/candle"];
    let example = ["--quiet", "--example", name, "--", "-D", "warnings"];
    process::run(cargo(&crates).args(example)).unwrap();
}

#[test]
fn f_016_a_project_of_edition_2021_builds_unmodified() {
    let program = include_str!("fresh_project/gradients.rs");
    // The slope of a square is twice the number.
    assert_eq!(Project::new("gradients", "2021", "wgpu", program).run(&[]), "[2.0, 4.0, 6.0, 8.0]");
}

#[test]
fn f_018_cargo_add_with_wgpu_is_all_that_a_program_on_a_gpu_needs() {
    let project = Project::new("gpu", "2024", "wgpu", include_str!("fresh_project/gpu.rs"));
    if let Some(output) = project.run_on_gpu() {
        assert_eq!(output, "[7.0, 10.0, 15.0, 22.0]");
    }
}

#[test]
fn f_020_the_guide_trains_in_release() {
    let artifacts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("f_020");
    let guide =
        ["run", "--release", "--quiet", "--example", "guide", "--", "--images", "256", "--epochs", "2"];
    let output = process::output(cargo(&guide).arg("--artifacts").arg(&artifacts)).unwrap();
    assert!(output.contains("test accuracy: "), "{output}");
    fs::remove_dir_all(artifacts).expect("the run left its artifacts");
}

#[test]
fn f_021_no_edition_needs_a_recursion_limit() {
    let program = include_str!("fresh_project/gpu_training.rs");
    assert!(!program.contains("recursion_limit"));
    for edition in ["2021", "2024"] {
        let project = Project::new("gpu-training", edition, "wgpu,fusion,optim", program);
        if let Some(output) = project.run_on_gpu() {
            assert_eq!(output, "[3, 2]");
        }
    }
}
