//! Square products in f32.

use crate::torch::Torch;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::{Distribution, Tensor};
use std::hint::black_box;

pub(crate) fn square<'a, const N: usize>(
    name: &'static str,
    candle: bool,
    torch: Option<&'a Torch>,
) -> Workload<'a> {
    let workload = Workload::new(name).with("NdArray", || {
        let device = Default::default();
        let [x, y] =
            [0, 1].map(|_| Tensor::<NdArray, 2>::random([N, N], Distribution::Normal(0.0, 1.0), &device));
        move || drop(black_box(x.clone().matmul(y.clone())))
    });
    with_candle::<N>(workload, candle).with_torch(torch)
}

#[cfg(feature = "candle")]
fn with_candle<const N: usize>(workload: Workload<'_>, candle: bool) -> Workload<'_> {
    use candle_core::{Device, Tensor};
    if !candle {
        return workload;
    }
    workload.with("candle", || {
        let [x, y] = [0, 1].map(|_| Tensor::randn(0f32, 1.0, (N, N), &Device::Cpu).expect("fits"));
        move || drop(black_box(x.matmul(&y).expect("same sizes")))
    })
}

#[cfg(not(feature = "candle"))]
fn with_candle<const N: usize>(workload: Workload<'_>, _: bool) -> Workload<'_> {
    workload
}
