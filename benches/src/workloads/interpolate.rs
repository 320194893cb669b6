//! Images at other sizes.

use super::input::normal;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::module::{InterpolateMode, InterpolateOptions, interpolate2d};
use std::hint::black_box;

pub(super) fn all() -> Vec<Workload> {
    let twice = |mode: InterpolateMode| {
        move || {
            let x = normal::<NdArray, 4>([8, 64, 56, 56]);
            move || drop(black_box(interpolate2d(x.clone(), [112, 112], InterpolateOptions::new(mode))))
        }
    };
    vec![
        Workload::new("bilinear").with("NdArray", twice(InterpolateMode::Linear)).at_most(1.0),
        Workload::new("bicubic").with("NdArray", twice(InterpolateMode::Cubic)).at_most(1.0),
    ]
}
