//! `cargo xtask bench`: builds the benches with the baselines asked for and runs them.

use crate::{Outcome, build_loop, libtorch, packages, process, workspace};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments.iter().any(|argument| argument == "--build") {
        return build_loop::run();
    }
    if arguments.iter().any(|argument| argument == "--build-gpu") {
        return build_loop::run_gpu();
    }
    if !packages::has_package("benches")? {
        return Err("the package `benches` is not in the workspace yet".to_string());
    }
    // Candle takes minutes to compile: only those who compare with it pay for it.
    let against = arguments.iter().skip_while(|argument| *argument != "--against").nth(1);
    let with_candle = against.is_some_and(|list| list.split(',').any(|name| name == "candle"));
    let mut command = process::cargo(&["run", "--release", "--quiet", "--package", "benches"]);
    if against.is_some_and(|list| list.split(',').any(|name| name == "onnxruntime")) {
        // Their source is generated when the program is built.
        crate::onnx::bench_models(arguments)?;
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
