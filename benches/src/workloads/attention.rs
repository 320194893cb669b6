//! Scaled dot-product attention alone: its result, and its gradients too.

use super::input::normal;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_tensor::DType;
use burn_tensor::module::{AttentionOptions, attention};
use std::hint::black_box;

/// 8 sequences of 512, 8 heads of 64.
const SHORT: [usize; 4] = [8, 8, 512, 64];
/// One token of a sequence of 4096 before it: 32 heads of 128, 8 heads of keys.
const DECODE: [usize; 4] = [1, 32, 1, 128];
/// Its keys and values, of which the last are not written yet.
const CACHE: [usize; 4] = [1, 8, 4224, 128];
/// A sequence of 2048.
const LONG: [usize; 4] = [1, 8, 2048, 64];

pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload::new("attention").with("NdArray", || forward(SHORT, false)).at_most(1.0),
        Workload::new("attention 2048").with("NdArray", || forward(LONG, false)).at_most(0.9),
        Workload::new("attention 2048 causal").with("NdArray", || forward(LONG, true)).at_most(0.9),
        Workload::new("attention decode").with("NdArray", || decode(DType::F32)).at_most(1.0),
        Workload::new("attention decode bf16").with("NdArray", || decode(DType::BF16)).at_most(1.0),
        Workload::new("attention step").with("NdArray", || step(SHORT, false)).at_most(1.0),
        Workload::new("attention 2048 step").with("NdArray", || step(LONG, false)).at_most(1.0),
        Workload::new("attention 2048 causal step").with("NdArray", || step(LONG, true)).at_most(1.0),
    ]
}

fn forward(shape: [usize; 4], causal: bool) -> impl FnMut() {
    let [query, key, value] = [0, 1, 2].map(|_| normal::<NdArray, 4>(shape));
    move || {
        let (query, key, value) = (query.clone(), key.clone(), value.clone());
        drop(black_box(attention(query, key, value, None, AttentionOptions { causal, scale: None })));
    }
}

fn decode(dtype: DType) -> impl FnMut() {
    let query = normal::<NdArray, 4>(DECODE).cast(dtype);
    let [key, value] = [0, 1].map(|_| normal::<NdArray, 4>(CACHE).cast(dtype).narrow(2, 0, 4096));
    move || {
        let (query, key, value) = (query.clone(), key.clone(), value.clone());
        drop(black_box(attention(query, key, value, None, AttentionOptions::default())));
    }
}

/// Forward and backward: the gradients by query, key and value.
fn step(shape: [usize; 4], causal: bool) -> impl FnMut() {
    let leaves = [0, 1, 2].map(|_| normal::<Autodiff<NdArray>, 4>(shape).require_grad());
    move || {
        let [query, key, value] = leaves.clone();
        let y = attention(query, key, value, None, AttentionOptions { causal, scale: None });
        let gradients = y.sum().backward();
        drop(black_box(leaves.each_ref().map(|leaf| leaf.grad(&gradients))));
    }
}
