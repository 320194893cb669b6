//! Sums of `[4096, 4096]`.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::Tensor;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![sum("sum dim 0", |x| x.sum_dim(0)), sum("sum dim 1", |x| x.sum_dim(1)), sum("sum all", |x| x.sum())]
}

fn sum<const D: usize>(
    name: &'static str,
    function: fn(Tensor<NdArray, 2>) -> Tensor<NdArray, D>,
) -> Workload {
    let workload = Workload::new(name).with("NdArray", move || {
        let x = normal([4096, 4096]);
        move || drop(black_box(function(x.clone())))
    });
    workload.at_most(1.0)
}
