//! Overhead of a thousand tracked small operations: the forward pass, the backward pass, all memory.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::{Autodiff, BalancedCheckpointing};
use burn_ndarray::NdArray;
use burn_tensor::backend::ReplicaScope;
use burn_tensor::{AutodiffBackend, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("tape chain 1000")
            .with("Autodiff", deep::<Autodiff<NdArray>>)
            .at_most(1.0)
            .with("replica", || in_scope(deep::<Autodiff<NdArray>>()))
            .with("balanced", deep::<Autodiff<NdArray, BalancedCheckpointing>>)
            .with("twice", deep::<Autodiff<Autodiff<NdArray>>>),
        Workload::new("tape wide 1000").with("Autodiff", broad::<Autodiff<NdArray>>).at_most(1.0),
    ]
}

fn random<B: AutodiffBackend>(size: usize) -> Tensor<B, 1> {
    normal([size]).require_grad()
}

/// `y = sin(tanh(y w + b))`, 250 times, on `[16]` f32; then the gradients by the first `y`, by `w` and by
/// `b`.
fn deep<B: AutodiffBackend>() -> impl FnMut() {
    let (x, w, b) = (random::<B>(16), random::<B>(16), random::<B>(16));
    move || {
        let mut y = x.clone();
        for _ in 0..250 {
            y = (y * w.clone() + b.clone()).tanh().sin();
        }
        let gradients = y.sum().backward();
        drop(black_box([&x, &w, &b].map(|leaf| leaf.grad(&gradients))));
    }
}

/// The same in the scope of a replica (decision 49), on the device of its operands.
fn in_scope(mut work: impl FnMut()) -> impl FnMut() {
    move || {
        let _scope = ReplicaScope::enter::<NdArray>(Default::default());
        work();
    }
}

/// The sum of `sin(x w + b)` over 250 pairs of `w` and `b`, on `[64]` f32; then the gradients by all of them.
fn broad<B: AutodiffBackend>() -> impl FnMut() {
    let x = random::<B>(64);
    let leaves: Vec<_> = (0..250).map(|_| (random::<B>(64), random::<B>(64))).collect();
    move || {
        let branch = |(w, b): &(Tensor<B, 1>, Tensor<B, 1>)| (x.clone() * w.clone() + b.clone()).sin();
        let total = leaves.iter().map(branch).reduce(|sum, branch| sum + branch).expect("there are branches");
        let gradients = total.sum().backward();
        drop(black_box(x.grad(&gradients)));
    }
}
