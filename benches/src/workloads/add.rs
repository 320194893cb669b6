//! What a call costs when there is almost nothing to compute.

use crate::torch::Torch;
use crate::workload::Workload;
use burn_autodiff::Autodiff;
use burn_ndarray::NdArray;
use burn_tensor::backend::Backend;
use burn_tensor::{Distribution, Tensor};
use std::hint::black_box;

fn operands<B: Backend>() -> [Tensor<B, 1>; 2] {
    [0, 1].map(|_| Tensor::random([16], Distribution::Normal(0.0, 1.0), &B::Device::default()))
}

/// Two `[16]` f32 tensors.
pub(crate) fn small(candle: bool, torch: Option<&Torch>) -> Workload<'_> {
    let workload = Workload::new("add 16")
        .with("NdArray", || {
            let [x, y] = operands::<NdArray>();
            move || drop(black_box(x.clone() + y.clone()))
        })
        .with("Autodiff, untracked", || {
            let [x, y] = operands::<Autodiff<NdArray>>();
            move || drop(black_box(x.clone() + y.clone()))
        })
        .with("Autodiff, tracked", || {
            let [x, y] = operands::<Autodiff<NdArray>>().map(Tensor::require_grad);
            move || drop(black_box(x.clone() + y.clone()))
        });
    with_candle(workload, candle).with_torch(torch)
}

#[cfg(feature = "candle")]
fn with_candle(workload: Workload<'_>, candle: bool) -> Workload<'_> {
    use candle_core::{Device, Tensor};
    if !candle {
        return workload;
    }
    workload.with("candle", || {
        let [x, y] = [0, 1].map(|_| Tensor::randn(0f32, 1.0, 16, &Device::Cpu).expect("small"));
        move || drop(black_box((&x + &y).expect("same shapes")))
    })
}

#[cfg(not(feature = "candle"))]
fn with_candle(workload: Workload<'_>, _: bool) -> Workload<'_> {
    workload
}
