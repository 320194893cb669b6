//! Scaled dot-product attention alone.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::module::{AttentionOptions, attention};
use std::hint::black_box;

/// 8 sequences of 512, 8 heads of 64.
pub(super) fn all() -> Vec<Workload> {
    let forward = || {
        let [query, key, value] = [0, 1, 2].map(|_| normal::<NdArray, 4>([8, 8, 512, 64]));
        let attend = move || {
            let (query, key, value) = (query.clone(), key.clone(), value.clone());
            attention(query, key, value, None, AttentionOptions::default())
        };
        move || drop(black_box(attend()))
    };
    vec![Workload::new("attention").with("NdArray", forward).at_most(1.0)]
}
