//! `cargo xtask bench --build` and `--build-gpu`: how long a person waits after changing one line.
//!
//! The time depends on the machine, so it is printed and never asserted; the gate is `cargo xtask lines`.

use crate::lines::{PACKAGE, PROGRAMS};
use crate::{Outcome, process, workspace};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const ROUNDS: usize = 3;

/// Training that the programs with gradients share.
const TRAINING: &str = "mlp/train.rs";

/// A program whose rebuild is timed.
struct Program {
    package: &'static str,
    example: &'static str,
    source: PathBuf,
    /// A number in the source; the edit adds a digit to it.
    constant: &'static str,
}

pub(crate) fn run() -> Outcome {
    report(programs())
}

/// The program on a GPU alone: no other command needs what is built for it. Eight seconds on two cores are
/// what we want at most.
pub(crate) fn run_gpu() -> Outcome {
    report(vec![Program {
        package: "build-loop-gpu",
        example: "mlp_wgpu",
        source: workspace::root().join("xtask/build-loop/examples").join(TRAINING),
        constant: "* 0.1",
    }])
}

fn report(programs: Vec<Program>) -> Outcome {
    println!("one line changes, release build, median of {ROUNDS}");
    for program in programs {
        let mut times = rebuilds(&program)?;
        times.sort();
        let (seconds, edited) = (times[times.len() / 2].as_secs_f64(), workspace::relative(&program.source));
        println!("{:14} {seconds:.2} s  ({edited})", program.example);
    }
    Ok(())
}

fn programs() -> Vec<Program> {
    let (tools, examples) = (workspace::root().join("xtask"), workspace::root().join("examples"));
    let small = PROGRAMS.map(|example| Program {
        package: PACKAGE,
        example,
        source: tools.join(PACKAGE).join("examples").join(match example {
            "mlp_leaf" => "mlp_leaf.rs",
            _ => TRAINING,
        }),
        constant: "* 0.1",
    });
    let guide = |source: &str, constant| Program {
        package: "guide",
        example: "guide",
        source: examples.join("guide").join(source),
        constant,
    };
    small.into_iter().chain([guide("examples/guide.rs", "1e-3"), guide("src/model.rs", "0.5")]).collect()
}

fn rebuilds(program: &Program) -> Outcome<Vec<Duration>> {
    let mut edited = EditedFile::open(program.source.clone())?;
    build(program)?;
    let mut times = Vec::new();
    for round in 1..=ROUNDS {
        edited.replace(program.constant, &format!("{}{round}", program.constant))?;
        times.push(build(program)?);
    }
    Ok(times)
}

fn build(program: &Program) -> Outcome<Duration> {
    let arguments =
        ["build", "--release", "--quiet", "--package", program.package, "--example", program.example];
    let start = Instant::now();
    process::output(&mut process::cargo(&arguments))?;
    Ok(start.elapsed())
}

/// A source file that gets its text back at the end, however the end comes.
struct EditedFile {
    path: PathBuf,
    text: String,
}

impl EditedFile {
    fn open(path: PathBuf) -> Outcome<Self> {
        let text = workspace::read(&path)?;
        Ok(EditedFile { path, text })
    }

    fn replace(&mut self, old: &str, new: &str) -> Outcome {
        if !self.text.contains(old) {
            return Err(format!("{} has no `{old}` to edit", self.path.display()));
        }
        let text = self.text.replacen(old, new, 1);
        fs::write(&self.path, text).map_err(|cause| format!("{}: {cause}", self.path.display()))
    }
}

impl Drop for EditedFile {
    fn drop(&mut self) {
        if let Err(cause) = fs::write(&self.path, &self.text) {
            eprintln!("{} keeps an edit that was only for timing: {cause}", self.path.display());
        }
    }
}
