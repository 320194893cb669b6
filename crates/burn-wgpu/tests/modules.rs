//! Layers and losses of each family agree with PyTorch on the GPU too, forward and backward: the fixtures and
//! calls of the tests of `burn-nn`, the first case of some layers of each family.

use burn::backend::{Autodiff, Fusion, NdArray};
use burn_wgpu::Wgpu;
use parity::Case;
use record_probe::{Participant, check_all};
use serde_json::Value;
use std::collections::HashSet;

/// Layers of a family that are looked at.
const LAYERS: usize = 4;

/// The outcome of a case. Elementary functions of a GPU differ in the last bits from those of a processor.
macro_rules! on_backends {
    ($family:ident, $case:expr) => {{
        use $crate::parity::$family::run;
        use $crate::{Autodiff, Case, Fusion, Wgpu};
        [("wgpu", run(&Case::<Autodiff<Fusion<Wgpu<f32, i32>>>>::new($case, 1e-4, false)))]
    }};
}

mod device;
#[path = "../../burn-nn/tests/layers/parity/mod.rs"]
mod parity;

/// The first case of some layers, as far apart in the fixture as they can be.
fn chosen(cases: Vec<Value>) -> Vec<Value> {
    device::require();
    let mut layers = HashSet::new();
    let first: Vec<Value> =
        cases.into_iter().filter(|case| layers.insert(case["layer"].to_string())).collect();
    let step = first.len().div_ceil(LAYERS);
    first.into_iter().step_by(step).collect()
}

#[test]
fn a_model_of_any_backend_continues_on_each_other() {
    device::require();
    check_all(&[
        Participant::new::<Autodiff<NdArray>>("ndarray"),
        Participant::new::<Autodiff<Wgpu<f32, i32>>>("wgpu"),
        Participant::new::<Autodiff<Fusion<Wgpu<f32, i32>>>>("fusion<wgpu>"),
    ]);
}
