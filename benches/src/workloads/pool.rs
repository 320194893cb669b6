//! Pooling of images.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_nn::pool::MaxPool2dConfig;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let max = || {
        let (pool, x) = (MaxPool2dConfig::new([2, 2]).init(), normal::<NdArray, 4>([8, 64, 112, 112]));
        move || drop(black_box(pool.forward(x.clone())))
    };
    vec![Workload::new("max pool").with("NdArray", max).at_most(0.3)]
}
