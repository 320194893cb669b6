//! Sorting rows of `[512, 4096]`, with indices.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let sort = || {
        let x = normal::<NdArray, 2>([512, 4096]);
        move || drop(black_box(x.clone().sort_with_indices(1)))
    };
    let top = || {
        let x = normal::<NdArray, 2>([512, 4096]);
        move || drop(black_box(x.clone().topk_with_indices(32, 1)))
    };
    vec![
        Workload::new("sort").with("NdArray", sort).at_most(1.0),
        Workload::new("top-k").with("NdArray", top).at_most(1.0),
    ]
}
