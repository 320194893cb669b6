//! Elementwise calls: small, large, in place, in chains.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_tensor::{Backend, Tensor, activation};
use std::f64::consts::SQRT_2;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![add_small(), add_large(), chain_in_place(), gelu()]
}

/// `x + y`, into memory of its own.
pub(super) fn sum<B: Backend, const D: usize>(x: Tensor<B, D>, y: Tensor<B, D>) -> impl FnMut() {
    move || drop(black_box(x.clone() + y.clone()))
}

/// Overhead of a call with almost nothing to compute: the sum of two `[16]`.
fn add_small() -> Workload {
    Workload::new("add 16")
        .with("NdArray", || sum(normal::<NdArray, 1>([16]), normal([16])))
        .at_most(0.13)
        .with("Autodiff, untracked", || sum(normal::<Autodiff<NdArray>, 1>([16]), normal([16])))
        .at_most(1.0)
        .with("Autodiff, tracked", || {
            let [x, y] = [0, 1].map(|_| normal::<Autodiff<NdArray>, 1>([16]).require_grad());
            sum(x, y)
        })
        .at_most(1.0)
}

/// Two `[4096, 4096]`: nothing but memory.
fn add_large() -> Workload {
    Workload::new("add 4096")
        .with("NdArray", || sum(normal::<NdArray, 2>([4096, 4096]), normal([4096, 4096])))
        .at_most(0.6)
}

fn chain_in_place() -> Workload {
    Workload::new("chain in place").with("NdArray", chain::<NdArray>).at_most(1.0)
}

/// `x = relu(x * 0.5 + y)`, four times, on `[1024, 1024]`. Where the holder is the only one, each call writes
/// over its operand.
pub(super) fn chain<B: Backend>() -> impl FnMut() {
    let (mut x, y) = (Some(normal::<B, 2>([1024, 1024])), normal([1024, 1024]));
    move || {
        let mut next = x.take().expect("put back after each call");
        for _ in 0..4 {
            next = activation::relu(next * 0.5 + y.clone());
        }
        x = Some(next);
    }
}

/// GELU as a user writes it: `x (erf(x / sqrt 2) + 1) / 2` on `[32, 512, 512]`. The target of fusion is what
/// `torch.compile` makes of it.
fn gelu() -> Workload {
    Workload::new("gelu")
        .with("NdArray", gelu_on::<NdArray>)
        .at_most(0.6)
        .with("Fusion<NdArray>", gelu_on::<Fusion<NdArray>>)
        .at_most(0.19)
        .compiled()
        .with("one pass", one_pass)
}

/// Memory bound: as many elements read and written once.
fn one_pass() -> impl FnMut() {
    let x = normal::<NdArray, 3>([32, 512, 512]);
    move || drop(black_box(x.clone() * 2.0))
}

pub(super) fn gelu_on<B: Backend>() -> impl FnMut() {
    let (x, device) = (normal::<B, 3>([32, 512, 512]), B::Device::default());
    move || {
        let y = x.clone() * ((x.clone() / SQRT_2).erf() + 1.0) / 2.0;
        // A queue computes only the tensors that are still held.
        B::sync(&device);
        drop(black_box(y));
    }
}
