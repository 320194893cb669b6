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

use serde_json::Value;

/// Whether a case agrees, or what differs.
pub type Outcome = Result<(), String>;

/// The test of each family; the program that has this module says on which backends and which of the cases.
macro_rules! families {
    ($($family:ident)*) => {$(
        #[test]
        fn $family() {
            let text = include_str!(concat!("fixtures/", stringify!($family), ".jsonl"));
            let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let cases = $crate::chosen(cases);
            assert!(!cases.is_empty(), "no cases");
            let mut failures = Vec::new();
            for case in &cases {
                println!("{}", case["name"]);
                for (backend, outcome) in on_backends!($family, case) {
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
