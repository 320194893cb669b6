//! Random programs, with what PyTorch computes for them: `scripts/random-programs.py` wrote `programs.jsonl`.

use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::gradient::Differentiable;
use burn_conformance::programs::{Program, check, check_definitions, check_gradients, read};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_remote::{Remote, RemoteDevice};
use burn_router::{Router, trio};
use minimal_backend::Toy;

type Leaf = NdArray<f64>;

fn sweep(step: usize, check: impl Fn(&Program) -> Result<(), String>) {
    let programs = read(include_str!("programs.jsonl")).expect("the committed programs can be read");
    assert_eq!(programs.len(), 500);
    let failures: Vec<String> =
        programs.iter().step_by(step).filter_map(|program| check(program).err()).collect();
    assert!(failures.is_empty(), "{} programs differ\n  {}", failures.len(), failures.join("\n  "));
}

#[test]
fn ndarray_computes_what_pytorch_computes() {
    let device = DynamicDevice::new::<Leaf>(Default::default());
    sweep(1, |program| check(program, &device));
}

#[test]
fn gradients_are_those_of_pytorch() {
    let subject = Differentiable::new::<Autodiff<Leaf>>();
    sweep(1, |program| check_gradients(program, &subject));
}

#[test]
fn definitions_compute_what_pytorch_computes() {
    sweep(1, check_definitions);
}

#[test]
fn other_backends_compute_what_pytorch_computes() {
    RemoteDevice::in_process::<Fusion<Leaf>>(Default::default()).set_default();
    for device in [
        DynamicDevice::new::<Toy>(Default::default()),
        DynamicDevice::new::<Fusion<Leaf>>(Default::default()),
        DynamicDevice::new::<Router<(Leaf, Toy)>>(Default::default()),
        DynamicDevice::new::<Router<(Toy, Toy, Fusion<Leaf>)>>(trio::MultiDevice::B3(Default::default())),
        DynamicDevice::new::<Fusion<Router<(Leaf, Leaf)>>>(Default::default()),
        DynamicDevice::new::<Remote>(Default::default()),
        DynamicDevice::new::<Autodiff<Leaf>>(Default::default()),
    ] {
        sweep(4, |program| check(program, &device).map_err(|error| format!("{device:?}: {error}")));
    }
}

#[test]
fn gradients_through_decorators_are_those_of_pytorch() {
    RemoteDevice::in_process::<Fusion<Leaf>>(Default::default()).set_default();
    for (name, subject) in [
        ("fusion", Differentiable::new::<Autodiff<Fusion<Leaf>>>()),
        ("balanced", Differentiable::new::<Autodiff<Leaf, BalancedCheckpointing>>()),
        ("minimal", Differentiable::new::<Autodiff<Toy>>()),
        ("router", Differentiable::new::<Autodiff<Router<(Leaf, Toy)>>>()),
        ("remote", Differentiable::new::<Autodiff<Remote>>()),
    ] {
        sweep(4, |program| check_gradients(program, &subject).map_err(|error| format!("{name}: {error}")));
    }
}
