//! The program on several processes, against one process with the same batches.

#[path = "../examples/data-parallel.rs"]
#[allow(dead_code, reason = "a process runs it by itself")]
mod program;

use burn::backend::NdArray;
use burn::collective::Communicator;
use burn::module::{Module, ModuleVisitor, ParamId};
use burn::prelude::*;
use burn::record::{DoublePrecisionSettings, NamedMpkFileRecorder};
use clap::Parser;
use guide::model::{Model, ModelConfig};
use std::path::Path;
use std::process::Command;

type B = NdArray<f64>;

#[derive(Default)]
struct Values(Vec<f64>);

impl ModuleVisitor<B> for Values {
    fn visit_float<const D: usize>(&mut self, _id: ParamId, tensor: &Tensor<B, D>) {
        self.0.extend(tensor.to_data().to_f64());
    }
}

/// Variable with the arguments of the program, for a process that `mpirun` starts.
const ARGUMENTS: &str = "DATA_PARALLEL_ARGUMENTS";

#[test]
fn one_of_several_processes() {
    // Without it, this is not a process of another test.
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    let args = program::Args::parse_from(arguments.split('\n'));
    program::run(&args, &Communicator::from_environment().unwrap()).unwrap();
}

/// Runs the program on so many processes, and returns the weights that it saves.
fn weights(ranks: usize, arguments: &[&str], folder: &Path) -> Vec<f64> {
    let file = folder.join(format!("ranks-{ranks}"));
    let mut line =
        vec!["data-parallel", "--images", "700", "--epochs", "1", "--save", file.to_str().unwrap()];
    line.extend(arguments);
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "--timeout", "200", "-n", &ranks.to_string()]);
    command.arg(std::env::current_exe().unwrap()).args([
        "--exact",
        "one_of_several_processes",
        "--nocapture",
    ]);
    command.env(ARGUMENTS, line.join("\n"));
    let output = command.output().expect("mpirun is installed (openmpi-bin)");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("{ranks} ranks, test accuracy")), "{text}");
    let device = Default::default();
    let model: Model<B> = ModelConfig::new(10, 64).init(&device);
    let recorder = NamedMpkFileRecorder::<DoublePrecisionSettings>::new();
    let model = model.load_file(file, &recorder, &device).unwrap();
    let mut values = Values::default();
    model.visit(&mut values);
    assert!(values.0.len() > 60_000);
    values.0
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn x_503_processes_in_a_fixed_order_have_the_bits_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--float", "f64", "--fixed-order", "4"];
    let one = weights(1, &arguments, folder.path());
    for ranks in [2, 4] {
        assert!(bits(&one) == bits(&weights(ranks, &arguments, folder.path())), "{ranks} ranks");
    }
}

#[test]
fn x_503_four_processes_in_f32_are_close_to_one() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--dropout", "0"];
    let (one, four) = (weights(1, &arguments, folder.path()), weights(4, &arguments, folder.path()));
    let error = one.iter().zip(&four).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < 1e-5, "{error}");
}
