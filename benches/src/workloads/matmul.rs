//! Products of matrices in f32.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    vec![
        product("matmul 256", [256, 256], [256, 256]).at_most(1.0),
        product("matmul 1024", [1024, 1024], [1024, 1024]).at_most(0.65),
        product("matmul 2048", [2048, 2048], [2048, 2048]).at_most(0.65),
        product("matmul batched", [64, 128, 64], [64, 64, 128]).at_most(1.0),
        product("matvec 4096", [1, 4096], [4096, 4096]).at_most(0.75),
    ]
}

fn product<const D: usize>(name: &'static str, lhs: [usize; D], rhs: [usize; D]) -> Workload {
    Workload::new(name).with("NdArray", move || {
        let (x, y) = (normal::<NdArray, D>(lhs), normal::<NdArray, D>(rhs));
        move || drop(black_box(x.clone().matmul(y.clone())))
    })
}
