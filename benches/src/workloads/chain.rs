//! Elementwise calls one after the other on a tensor that nobody else holds.

use crate::torch::Torch;
use crate::workload::Workload;
use burn_ndarray::NdArray;
use burn_tensor::{Distribution, Tensor};

/// `x = relu(x * 0.5 + y)`, four times, on `[1024, 1024]` f32. Where the holder is the only one, each
/// call writes over its operand.
pub(crate) fn in_place(candle: bool, torch: Option<&Torch>) -> Workload<'_> {
    let workload = Workload::new("chain in place").with("NdArray", || {
        let device = Default::default();
        let random = || Tensor::<NdArray, 2>::random([1024, 1024], Distribution::Normal(0.0, 1.0), &device);
        let (mut x, y) = (Some(random()), random());
        move || {
            let mut next = x.take().expect("put back after each call");
            for _ in 0..4 {
                next = burn_tensor::activation::relu(next * 0.5 + y.clone());
            }
            x = Some(next);
        }
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
        let [mut x, y] = [0, 1].map(|_| Tensor::randn(0f32, 1.0, (1024, 1024), &Device::Cpu).expect("fits"));
        move || {
            for _ in 0..4 {
                x = ((&x * 0.5).and_then(|x| x + &y)).and_then(|x| x.relu()).expect("same shapes");
            }
        }
    })
}

#[cfg(not(feature = "candle"))]
fn with_candle(workload: Workload<'_>, _: bool) -> Workload<'_> {
    workload
}
