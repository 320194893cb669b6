//! `cargo xtask bench`: builds the benches with the baselines asked for and runs them; `--onnx FOLDER`
//! measures the models of a folder.

use crate::{Outcome, build_loop, libtorch, onnx, process, python, workspace};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--build") {
        return build_loop::run();
    }
    if arguments.iter().any(|argument| argument == "--build-gpu") {
        return build_loop::run_gpu();
    }
    if let [first, folder, rest @ ..] = arguments
        && first == "--onnx"
    {
        return run_folder(folder, rest);
    }
    // Candle takes minutes to compile: only those who compare with it pay for it.
    let against = arguments.iter().skip_while(|argument| *argument != "--against").nth(1);
    let with_candle = against.is_some_and(|list| list.split(',').any(|name| name == "candle"));
    let mut command = process::cargo(&["run", "--release", "--quiet", "--package", "benches"]);
    if against.is_some_and(|list| list.split(',').any(|name| name == "onnxruntime")) {
        // Their source is generated when the program is built.
        onnx::bench_models(arguments)?;
        command.args(["--features", "onnx-generated"]);
    }
    if with_candle {
        command.args(["--features", "candle"]);
    }
    if against.is_some_and(|list| list.split(',').any(|name| name == "libtorch")) {
        let variables = libtorch::variables().ok_or("LibTorch is not there: run `cargo xtask libtorch`")?;
        command.args(["--features", "tch"]).envs(variables);
    }
    command.arg("--").args(arguments);
    if std::env::var_os("BURN_ONNX_EXPORTS").is_none() {
        command.env("BURN_ONNX_EXPORTS", workspace::target().join("onnx-exports"));
    }
    // The targets are those of two threads, here and in the baselines.
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        command.env("RAYON_NUM_THREADS", "2");
    }
    if !arguments.iter().any(|argument| argument == "--out" || argument == "--show") {
        command.arg("--out").arg(workspace::target().join("bench.json"));
    }
    process::run(&mut command)
}

/// Options of the preparation of a folder of models; the others are those of the benches.
const FOLDER_OPTIONS: [&str; 3] = ["--size", "--shape", "--value"];

/// Measures each model of a folder beside onnxruntime, with equal inputs and as many threads.
fn run_folder(folder: &str, arguments: &[String]) -> Outcome {
    let (python, rest) = python::chosen(arguments)?;
    let (mut sizes, mut options, mut rest) = (Vec::new(), Vec::new(), rest.into_iter());
    while let Some(option) = rest.next() {
        let value = rest.next().ok_or(format!("{option} wants a value"))?;
        if FOLDER_OPTIONS.contains(&option) { &mut sizes } else { &mut options }.extend([option, value]);
    }
    let threads = std::env::var("RAYON_NUM_THREADS").unwrap_or_else(|_| "2".into());
    let prepared = workspace::target().join("onnx-folder");
    let script = workspace::root().join("benches/onnxruntime/folder.py");
    let mut command = std::process::Command::new(&python);
    process::run(
        command
            .arg(script)
            .args([folder.as_ref(), prepared.as_os_str()])
            .args(sizes)
            .args(["--threads", &threads]),
    )?;
    let mut command = process::cargo(&["run", "--release", "--quiet", "--package", "benches"]);
    command.args(["--features", "onnx-generated", "--"]);
    command.env("BURN_ONNX_EXPORTS", &prepared).env("RAYON_NUM_THREADS", threads);
    command.arg("--onnx").arg(&prepared).args(["--against", "onnxruntime"]).arg("--python").arg(python);
    process::run(command.args(options))
}
