//! `cargo xtask test`: the tests, and one line at the end that counts them.

use crate::{Outcome, lanes, left_out, libtorch, no_std, process};
use std::ffi::OsString;

/// Tests that run once more and longer: random blocks, fused and not, and threads that share a fused backend.
const LONGER: &[(&str, &str)] =
    &[("suite", "fused_equals_unfused"), ("memory_use", "threads_share_a_fused_backend")];

/// Variables with their lengths.
const LENGTHS: [(&str, &str); 2] = [("BURN_BLOCKS", "5000"), ("BURN_SOAK_SECONDS", "20")];

/// Tests behind features, which no default command runs: package, feature, test.
const FEATURES: &[(&str, &str, &str)] = &[
    ("xtask", "fresh-project", "other_features"),
    ("new-operation-probe", "test-operation", "new_operation"),
];

/// Named beside what no default command builds, so that third-party crates have the features of the default
/// members, and are not compiled once more with others.
const SHARED: &str = "shared-features";

const LINALG: &str = "burn-cubecl-linalg";

/// Crates and examples of GPUs that run on any Vulkan driver; no default command builds them.
const GPU: &[&str] =
    &["burn-cubecl", LINALG, "burn-wgpu", "custom-cubecl-kernel", "custom-wgpu-kernel", "guide", SHARED];

/// Tests of these crates in `.ci/run`, beside those of the libraries. The suite runs through `Fusion` and
/// not once more without. Of Fourier transforms it has those of each kind, and `fft` more lengths.
#[rustfmt::skip]
const GPU_BRIEF: [&str; 13] = [
    "custom_cubecl_kernel", "custom_wgpu_kernel", "block_weights", "decorators", "faults", "fused", "gpu", "memory",
    "modules", "reads", "reproducible", "rows", "tune",
];

/// Tests of these crates that all wait for one device, the longest ones.
const ONE_DEVICE: &[&str] = &["decorators", "fft", "fused", "rows", "suite", "tune"];

/// The backend over candle and what runs on it; no default command builds it.
const CANDLE: &[&str] = &["burn-candle", "guide", SHARED];

/// The backend over LibTorch and what runs on it; no default command builds it.
const LIBTORCH: &[&str] = &["burn-tch", "guide", SHARED];

/// Examples that run in Chromium; no default command builds them.
const WEB: &[&str] = &["image-classification-web", "mnist-inference-web", "training-web", "web-page", SHARED];

/// Tests of backends and of the sizes of pages, which take minutes to compile for browsers, and of axe-core,
/// which is fetched.
const WEB_FEATURES: &str = "image-classification-web/test-candle,image-classification-web/test-wgpu,\
     image-classification-web/test-axe,image-classification-web/test-size,mnist-inference-web/test-axe,\
     training-web/test-axe,web-page/test-axe,web-page/test-size";

/// Processes that exchange tensors by MPI, which their tests start by `mpirun`.
const MPI: &[&str] = &["burn-collective", "data-parallel", SHARED];

/// Programs of microcontrollers, one of which QEMU runs; no default command builds them.
const MICROCONTROLLER: &[&str] = &["raspberry-pi-pico", SHARED];

/// A test that needs a program or a device that not every machine has. Its target has `test = false`, so that
/// no default command runs it, and it fails where what it needs is missing.
struct ToolTest {
    /// Package and target.
    package: &'static str,
    test: &'static str,
    /// Feature of the package, if the test needs one.
    feature: Option<&'static str>,
    /// The program that must be there, and how it gets there.
    program: &'static str,
    install: &'static str,
}

const TOOL_TESTS: &[ToolTest] = &[
    ToolTest {
        package: "burn-train",
        test: "dashboard",
        feature: None,
        program: "tmux",
        install: "apt-get install tmux",
    },
    ToolTest {
        package: "burn-train",
        test: "nvml",
        feature: Some("nvml"),
        program: "nvidia-smi",
        install: "it comes with the driver of an NVIDIA GPU",
    },
];

/// Another one has a command of its own, which fetches what it needs.
const TENSORBOARD: &str = "left out: test `tensorboard` of burn-train (cargo xtask tensorboard)";

/// Examples that the documents name; each fails on its own when its result is wrong.
const EXAMPLES: &[&str] = &["guide"];

#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Count {
    /// Adds a line such as `test result: ok. 12 passed; 0 failed; 1 ignored; ...`.
    fn add(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for part in counts.split("; ") {
            let (number, what) = part.split_once(' ').unwrap_or_default();
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let [flag] = arguments
        && let "--gpu" | "--gpu-brief" = flag.as_str()
    {
        return run_gpu(flag == "--gpu-brief");
    }
    if let [flag] = arguments
        && let "--web" | "--web-brief" = flag.as_str()
    {
        return run_web(flag == "--web-brief");
    }
    if arguments == ["--candle"] {
        return run_leaf(CANDLE, "candle", Vec::new());
    }
    if arguments == ["--libtorch"] {
        let found = libtorch::variables().ok_or("LibTorch is not there: run `cargo xtask libtorch`")?;
        // Its threads would spin while they wait, on processors that other tests want.
        let variables = found.into_iter().chain([("OMP_WAIT_POLICY", "passive".into())]).collect();
        return run_leaf(LIBTORCH, "tch", variables);
    }
    if arguments == ["--mpi"] {
        return run_mpi();
    }
    if arguments == ["--microcontroller"] {
        return run_microcontroller();
    }
    if arguments == ["--tools"] {
        let mut count = Count::default();
        let outcome = run_tool_tests(&mut count);
        println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
        return outcome;
    }
    let (default, extended) = match arguments {
        [] => (true, false),
        [flag] if flag == "--extended" => (true, true),
        [flag] if flag == "--extended-only" => (false, true),
        other => return Err(format!("unknown arguments {other:?}")),
    };
    let mut count = Count::default();
    let outcome = run_suites(default, extended, &mut count);
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

fn run_suites(default: bool, extended: bool, count: &mut Count) -> Outcome {
    if default {
        let mut command = process::cargo(&["test"]);
        process::run_seeing(&mut command, |line| count.add(line))?;
        left_out::print(&[command])?;
        run_tool_tests(count)?;
        println!("{TENSORBOARD}");
    }
    if extended {
        run_examples()?;
        run_extended(count)?;
    }
    Ok(())
}

/// The tests whose programs are there; a line `left out: ...` for each of the others.
fn run_tool_tests(count: &mut Count) -> Outcome {
    for tool in TOOL_TESTS {
        if !process::is_installed(tool.program) {
            println!("{}", tool.left_out());
            continue;
        }
        // All default members, so that the features are those of `cargo test` and nothing is built again.
        let mut command = process::cargo(&["test", "--test", tool.test]);
        if let Some(feature) = tool.feature {
            command.args(["--package", tool.package, "--package", SHARED]);
            command.arg("--features").arg(format!("{}/{feature}", tool.package));
        }
        process::run_seeing(&mut command, |line| count.add(line))?;
    }
    Ok(())
}

impl ToolTest {
    fn left_out(&self) -> String {
        let ToolTest { package, test, program, install, .. } = self;
        format!("left out: test `{test}` of {package}: {program} is not there ({install})")
    }
}

/// The suite, the rows of the specification and the guide on a backend over a tensor library, on the
/// processor.
fn run_leaf(packages: &[&str], feature: &str, variables: Vec<(&'static str, OsString)>) -> Outcome {
    let mut count = Count::default();
    let mut command = process::cargo(&["test"]);
    command.args(packages.iter().flat_map(|name| ["--package", name]));
    command.arg("--features").arg(format!("guide/{feature}"));
    command.args(["--lib", "--test", "suite", "--test", "rows", "--test", "libraries"]).envs(variables);
    let outcome = lanes::run(&mut command, &["suite"], |line| count.add(line));
    left_out::print(&[command])?;
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

/// The network on a Cortex-M4 that QEMU emulates.
fn run_microcontroller() -> Outcome {
    if !process::is_installed("qemu-system-arm") {
        return Err("qemu-system-arm is not there: `apt-get install qemu-system-arm`".into());
    }
    if !no_std::has_target(no_std::MICROCONTROLLER)? {
        return Err(format!("no library of the target: `rustup target add {}`", no_std::MICROCONTROLLER));
    }
    let mut count = Count::default();
    let mut command = process::cargo(&["test", "--test", "raspberry_pi_pico"]);
    command.args(MICROCONTROLLER.iter().flat_map(|name| ["--package", name]));
    let outcome = process::run_seeing(&mut command, |line| count.add(line));
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

/// Collectives of processes, and the example that trains on several.
fn run_mpi() -> Outcome {
    if !process::is_installed("mpirun") {
        return Err("mpirun is not there: `apt-get install openmpi-bin`".into());
    }
    let mut count = Count::default();
    let mut command = process::cargo(&["test", "--test", "mpi", "--test", "mpirun"]);
    command.args(["--features", "burn-collective/test-mpi,data-parallel/test-mpi"]);
    command.args(MPI.iter().flat_map(|name| ["--package", name]));
    let outcome = process::run_seeing(&mut command, |line| count.add(line));
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

/// The crates of GPUs, on the adapter that the system has: software Vulkan will do. Without one they fail.
fn run_gpu(brief: bool) -> Outcome {
    let mut count = Count::default();
    let mut command = process::cargo(&["test"]);
    command.args(GPU.iter().flat_map(|name| ["--package", name]));
    command.args(["--features", "guide/wgpu"]);
    if brief {
        command.env("BURN_SUITE", "brief");
        println!(
            "left out: two of three cases of the suite on Vulkan, i64, i16, i8, u64, u32, u16 (cargo xtask test --gpu)"
        );
        command.arg("--lib").args(GPU_BRIEF.iter().flat_map(|name| ["--test", name]));
    }
    let mut outcome = lanes::run(&mut command, ONE_DEVICE, |line| count.add(line));
    let mut commands = vec![command];
    if !brief && outcome.is_ok() {
        let mut command = process::cargo(&["test", "--doc", "--features", "guide/wgpu"]);
        command.args(GPU.iter().flat_map(|name| ["--package", name]));
        outcome = process::run_seeing(&mut command, |line| count.add(line));
        commands.push(command);
    }
    if !brief && outcome.is_ok() {
        // Tests of these crates that need no GPU.
        let mut command = process::cargo(&["test", "--lib", "--test", "missing"]);
        command.args(["--package", "burn-cuda", "--package", "burn-rocm"]);
        outcome = process::run_seeing(&mut command, |line| count.add(line));
        commands.push(command);
    }
    left_out::print(&commands)?;
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

/// The pages of the examples, in Chromium: on the CPU backend alone, or on each of their backends.
fn run_web(brief: bool) -> Outcome {
    let mut count = Count::default();
    let mut command = process::cargo(&["test", "--lib", "--tests"]);
    command.args(WEB.iter().flat_map(|name| ["--package", name]));
    if brief {
        println!(
            "left out: tests of image-classification-web on candle and WebGPU, of pages by axe-core, of their sizes \
             (cargo xtask test --web)"
        );
    } else {
        command.args(["--features", WEB_FEATURES]);
    }
    let outcome = process::run_seeing(&mut command, |line| count.add(line));
    println!("\n{} passed, {} failed, {} skipped", count.passed, count.failed, count.ignored);
    outcome
}

fn run_extended(count: &mut Count) -> Outcome {
    // All default members at once, so that the features are those of `cargo test`, and nothing is built
    // again.
    let mut command = process::cargo(&["test"]);
    command.args(LONGER.iter().flat_map(|(binary, _)| ["--test", binary])).arg("--");
    command.args(LONGER.iter().map(|(_, name)| name)).envs(LENGTHS);
    process::run_seeing(&mut command, |line| count.add(line))?;
    for (package, feature, test) in FEATURES {
        // Crates of the workspace are compiled for these alone, and optimising them takes longer than running
        // them.
        let mut command = process::cargo(&["test", "--config", "profile.dev.opt-level=0"]);
        for kernels in ["burn-fft", "burn-fusion", "burn-ndarray"] {
            command.args(["--config", &format!("profile.dev.package.{kernels}.opt-level=0")]);
        }
        command.args(["--package", package, "--package", SHARED]);
        command.arg("--features").arg(format!("{package}/{feature}")).args(["--test", test]);
        process::run_seeing(&mut command, |line| count.add(line))?;
    }
    Ok(())
}

fn run_examples() -> Outcome {
    for name in EXAMPLES {
        process::run(&mut process::cargo(&["run", "--quiet", "--example", name]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Targets that no default command runs are those that the table and the command `tensorboard` run.
    #[test]
    fn every_target_without_default_tests_is_run_by_a_command() {
        let metadata = crate::packages::metadata().unwrap();
        let mut found = Vec::new();
        for package in metadata["packages"].as_array().unwrap() {
            for target in package["targets"].as_array().unwrap() {
                if target["kind"][0] == "test" && target["test"] == false {
                    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_string();
                    found.push((name(package), name(target)));
                }
            }
        }
        let table = TOOL_TESTS.iter().map(|tool| (tool.package, tool.test));
        let mut expected: Vec<(String, String)> = table
            .chain([("burn-train", "tensorboard")])
            .map(|(package, test)| (package.to_string(), test.to_string()))
            .collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    /// Building a library once more to run no test takes seconds of each `cargo test`.
    #[test]
    fn a_library_without_default_tests_has_none() {
        let metadata = crate::packages::metadata().unwrap();
        let targets = metadata["packages"].as_array().unwrap().iter().flat_map(|package| {
            package["targets"].as_array().unwrap().iter().filter(|target| target["kind"][0] == "lib")
        });
        for target in targets.filter(|target| target["test"] == false) {
            let folder = std::path::Path::new(target["src_path"].as_str().unwrap()).parent().unwrap();
            for path in crate::workspace::files(&["rs"]).iter().filter(|path| path.starts_with(folder)) {
                let text = std::fs::read_to_string(path).unwrap();
                // A macro writes tests for other crates.
                let has_tests = text.contains("#[test]") && !text.contains("macro_rules!");
                assert!(!has_tests, "{} has tests that no command runs", path.display());
            }
        }
    }

    /// Libraries that a call of `cargo test` compiles for this machine: names with features, and how often.
    fn libraries(arguments: &[&str]) -> BTreeMap<(String, String), usize> {
        let mut command = process::cargo(&["test", "--unit-graph", "-Z", "unstable-options"]);
        let graph = process::output(command.args(arguments).env("RUSTC_BOOTSTRAP", "1")).unwrap();
        let graph: serde_json::Value = serde_json::from_str(&graph).unwrap();
        let mut found = BTreeMap::new();
        for unit in graph["units"].as_array().unwrap() {
            let kind = unit["target"]["kind"][0].as_str().unwrap();
            if unit["mode"] == "build" && ["lib", "rlib", "proc-macro"].contains(&kind) {
                let name = unit["pkg_id"].as_str().unwrap().rsplit('/').next().unwrap();
                *found.entry((name.to_string(), unit["features"].to_string())).or_insert(0) += 1;
            }
        }
        found
    }

    /// `.ci/run` builds what it tests in several calls. A crate whose features differ from those of the first
    /// is compiled once more: the kernels of the CPU backend take three minutes. `shared-features` names what
    /// one call asks for and another does not.
    #[test]
    fn libraries_are_compiled_once() {
        let default = libraries(&[]);
        let mut features: BTreeMap<&str, &str> = BTreeMap::new();
        for ((name, with), count) in &default {
            assert_eq!(*count, 1, "{name} {with} is compiled several times by `cargo test`");
            let other = features.insert(name, with);
            assert_eq!(other, None, "`cargo test` compiles {name} with {with} too");
        }
        // These differ by what the call is for.
        let expected = |name: &str| ["burn#0.1.0", "guide#0.1.0"].contains(&name);
        for (packages, feature) in
            [(CANDLE, "guide/candle"), (LIBTORCH, "guide/tch"), (GPU, "guide/wgpu"), (MICROCONTROLLER, "")]
        {
            let mut arguments = vec!["--features", feature];
            arguments.extend(packages.iter().flat_map(|name| ["--package", name]));
            for (name, with) in libraries(&arguments).keys().filter(|(name, _)| !expected(name)) {
                let first = features.get(name.as_str());
                assert!(first.is_none_or(|first| first == with), "{packages:?} compile {name} with {with}");
            }
        }
    }

    #[test]
    fn a_missing_program_is_named_with_the_test_that_needs_it() {
        assert_eq!(
            TOOL_TESTS[0].left_out(),
            "left out: test `dashboard` of burn-train: tmux is not there (apt-get install tmux)"
        );
    }

    #[test]
    fn count_adds_the_lines_of_several_runners() {
        let mut count = Count::default();
        count.add("running 3 tests");
        count.add(
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
        );
        count.add("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s");
        assert_eq!((count.passed, count.failed, count.ignored), (14, 3, 1));
    }
}
