//! Copies that change the order of the elements.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use std::hint::black_box;

/// A transpose is a view; to flatten it is to copy it.
pub(super) fn all() -> Vec<Workload> {
    let transpose = || {
        let x = normal::<NdArray, 2>([4096, 4096]);
        move || drop(black_box(x.clone().transpose().reshape([4096 * 4096])))
    };
    vec![Workload::new("transpose").with("NdArray", transpose).at_most(0.8)]
}
