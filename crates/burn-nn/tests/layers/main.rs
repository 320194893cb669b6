//! Layers and losses agree with PyTorch, forward and backward, and print as documented.

use burn::backend::{Autodiff, Fusion, NdArray};
use parity::Case;
use serde_json::Value;

/// The outcomes of a case, by backend. Gradients in f64 are compared with central differences too.
macro_rules! on_backends {
    ($family:ident, $case:expr) => {{
        use $crate::parity::$family::run;
        use $crate::{Autodiff, Case, Fusion, NdArray};
        [
            ("f64", run(&Case::<Autodiff<NdArray<f64>>>::new($case, 1e-10, true))),
            ("f64 fused", run(&Case::<Autodiff<Fusion<NdArray<f64>>>>::new($case, 1e-10, true))),
            ("f32", run(&Case::<Autodiff<NdArray<f32>>>::new($case, 1e-5, false))),
        ]
    }};
}

mod linear_cross_entropy;
mod parity;
mod try_forward;

/// All cases.
fn chosen(cases: Vec<Value>) -> Vec<Value> {
    cases
}
