//! Reading by indices.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::{Distribution, Int, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("gather").with("NdArray", gather).at_most(1.0),
        Workload::new("select rows").with("NdArray", select).at_most(1.0),
    ]
}

fn below<const D: usize>(bound: f64, shape: [usize; D]) -> Tensor<NdArray, D, Int> {
    Tensor::random(shape, Distribution::Uniform(0.0, bound), &Default::default())
}

/// Single elements along the last dimension of `[4096, 1024]`.
fn gather() -> impl FnMut() {
    let (x, indices) = (normal::<NdArray, 2>([4096, 1024]), below(1024.0, [4096, 1024]));
    move || drop(black_box(x.clone().gather(1, indices.clone())))
}

/// 4096 rows of `[32768, 256]`: what an embedding does.
fn select() -> impl FnMut() {
    let (x, indices) = (normal::<NdArray, 2>([32768, 256]), below(32768.0, [4096]));
    move || drop(black_box(x.clone().select(0, indices.clone())))
}
