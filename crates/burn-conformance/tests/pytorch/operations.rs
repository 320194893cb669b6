//! Operations at their edges, with what PyTorch computes: `scripts/operation_fixtures.py` wrote
//! `operations.jsonl`.

use burn_autodiff::Autodiff;
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::gradient::Differentiable;
use burn_conformance::programs::{DEPARTURES, Program, check, check_definitions, check_gradients, read};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;

type Leaf = NdArray<f64>;

/// Whether Burn departs from PyTorch there on purpose.
fn departs(case: &Program) -> bool {
    DEPARTURES.iter().any(|departure| departure.cases.contains(&case.name.as_str()))
}

fn sweep(departures_count: bool, check: impl Fn(&Program) -> Result<(), String>) {
    let cases = read(include_str!("operations.jsonl")).expect("the committed cases can be read");
    let mut failures = Vec::new();
    for case in &cases {
        match (check(case), departures_count && departs(case)) {
            (Ok(()), true) => failures.push(format!("{} is no departure any more", case.name)),
            (Err(error), false) => failures.push(error),
            (Ok(()), false) | (Err(_), true) => {}
        }
    }
    assert!(failures.is_empty(), "{} cases differ\n  {}", failures.len(), failures.join("\n  "));
}

#[test]
fn definitions_say_what_pytorch_computes() {
    sweep(true, check_definitions);
}

#[test]
fn ndarray_computes_what_pytorch_computes() {
    let device = DynamicDevice::new::<Leaf>(Default::default());
    sweep(true, |case| check(case, &device));
}

#[test]
fn fusion_computes_what_pytorch_computes() {
    let device = DynamicDevice::new::<Fusion<Leaf>>(Default::default());
    sweep(true, |case| check(case, &device));
}

#[test]
fn gradients_are_those_of_pytorch() {
    let subject = Differentiable::new::<Autodiff<Leaf>>();
    sweep(false, |case| check_gradients(case, &subject));
}
