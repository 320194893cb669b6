//! Reading and adding by indices.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::{Distribution, Int, Tensor};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("gather").with("NdArray", gather).at_most(1.0),
        Workload::new("select rows").with("NdArray", select).at_most(1.0),
        Workload::new("scatter-add").with("NdArray", scatter).at_most(1.0),
        Workload::new("add rows").with("NdArray", add_rows).at_most(1.0),
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

/// Single elements along the last dimension of `[1024, 4096]`, which are added to 64 positions of each row.
fn scatter() -> impl FnMut() {
    let (x, indices) = (normal::<NdArray, 2>([1024, 64]), below(64.0, [1024, 4096]));
    let values = normal([1024, 4096]);
    move || drop(black_box(x.clone().scatter(1, indices.clone(), values.clone())))
}

/// 65,536 rows of 256, which are added to 4096 rows: the gradient of an embedding whose tokens recur.
fn add_rows() -> impl FnMut() {
    let (x, indices) = (normal::<NdArray, 2>([4096, 256]), below(4096.0, [65_536]));
    let values = normal([65_536, 256]);
    move || drop(black_box(x.clone().select_assign(0, indices.clone(), values.clone())))
}
