//! Compares a file of random programs with what PyTorch computes for them: `cargo xtask programs`.

use burn_autodiff::Autodiff;
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::gradient::Differentiable;
use burn_conformance::programs::{check, check_gradients, read};
use burn_ndarray::NdArray;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: programs FILE");
        return ExitCode::FAILURE;
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) => {
            eprintln!("{path}: {cause}");
            return ExitCode::FAILURE;
        }
    };
    let programs = match read(&text) {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let device = DynamicDevice::new::<NdArray<f64>>(Default::default());
    let subject = Differentiable::new::<Autodiff<NdArray<f64>>>();
    let mut failures = 0;
    for program in &programs {
        let outcome = check(program, &device).and_then(|()| check_gradients(program, &subject));
        if let Err(error) = outcome {
            failures += 1;
            println!("{error}");
        }
    }
    println!("{} programs, {failures} differ from PyTorch", programs.len());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
