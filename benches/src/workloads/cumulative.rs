//! Cumulative sums of `[4096, 4096]`, along rows and along columns.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("cumsum dim 0").with("NdArray", || on(0)).at_most(1.0),
        Workload::new("cumsum dim 1").with("NdArray", || on(1)).at_most(1.0),
    ]
}

fn on(dim: usize) -> impl FnMut() {
    let x = normal::<NdArray, 2>([4096, 4096]);
    move || drop(black_box(x.clone().cumsum(dim)))
}
