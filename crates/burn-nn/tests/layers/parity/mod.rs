//! Layers and losses agree with PyTorch: outputs, and gradients of every input and parameter
//! (`scripts/parity.py`).
//!
//! Each family has its fixtures, one case a line, and a function that says how a layer's name becomes a call.

mod activation;
mod attention;
mod case;
mod convolution;
mod embedding;
mod linear;
mod loss;
mod normalization;
mod outputs;
mod padding;
mod parametrization;
mod params;
mod pooling;
mod recurrent;
mod resize;
mod transformer;

pub use case::Case;

use burn::backend::{Autodiff, Fusion, NdArray};
use serde_json::Value;

/// Whether a case agrees, or what differs.
pub type Outcome = Result<(), String>;

/// The test of each family, on every backend.
macro_rules! families {
    ($($family:ident)*) => {$(
        #[test]
        fn $family() {
            let text = include_str!(concat!("fixtures/", stringify!($family), ".jsonl"));
            let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert!(!cases.is_empty(), "no cases");
            let mut failures = Vec::new();
            for case in &cases {
                println!("{}", case["name"]);
                let outcomes = [
                    ("f64", $crate::parity::$family::run(&Case::<Autodiff<NdArray<f64>>>::new(case, 1e-10).with_differences())),
                    ("f64 fused", $crate::parity::$family::run(&Case::<Autodiff<Fusion<NdArray<f64>>>>::new(case, 1e-10).with_differences())),
                    ("f32", $crate::parity::$family::run(&Case::<Autodiff<NdArray<f32>>>::new(case, 1e-5))),
                ];
                for (backend, outcome) in outcomes {
                    failures.extend(outcome.err().map(|error| format!("{} on {backend}: {error}", case["name"])));
                }
            }
            assert!(failures.is_empty(), "{} failures in {} cases\n{}", failures.len(), cases.len(), failures.join("\n"));
        }
    )*};
}

families! {
    activation
    embedding
    linear
    loss
    normalization
    parametrization
    recurrent
    attention
    transformer
    convolution
    padding
    pooling
    resize
}
