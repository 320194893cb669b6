//! Fused blocks at sizes for which a device is bought: results that can be foretold.

mod device;

use burn_backend::{DType, Distribution, TensorSpec, TypedCalls};
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorPrimitive};

type B = Fusion<Cuda>;

fn random<const D: usize>(shape: [usize; D], dtype: DType) -> Tensor<B, D> {
    let spec = TensorSpec::new(shape, DType::F32);
    let x = B::random(spec, Distribution::Normal(0.0, 1.0), &CudaDevice::default());
    Tensor::from_primitive(TensorPrimitive::Float(B::cast(x, dtype)))
}

fn softmax(x: &Tensor<B, 2>) -> Tensor<B, 2> {
    let e = (x.clone() - x.clone().max_dim(1)).exp();
    e.clone() / e.sum_dim(1)
}

fn layer_norm(x: &Tensor<B, 2>) -> Tensor<B, 2> {
    let centred = x.clone() - x.clone().mean_dim(1);
    let variance = centred.clone().square().mean_dim(1);
    centred / (variance + 1e-5).sqrt()
}

/// The largest distance of an element from `value`.
fn distance(x: Tensor<B, 2>, value: f32) -> f64 {
    (x - value).abs().max().into_data().to_f64()[0]
}

#[test]
fn rows_add_up() {
    device::require();
    for (dtype, allowed) in [(DType::F32, 1e-4), (DType::F16, 2e-3), (DType::BF16, 2e-2)] {
        for shape in [[70_000, 10], [4096, 1000], [1000, 8192], [100, 16_383], [64, 50_257]] {
            let x = random(shape, dtype);
            let [softmax, layer_norm] = [softmax(&x), layer_norm(&x)].map(|y| y.cast(DType::F32));
            assert!(distance(softmax.sum_dim(1), 1.0) < allowed, "softmax of {shape:?}, {dtype}");
            let variance = layer_norm.square().mean_dim(1);
            assert!(distance(variance, 1.0) < 10.0 * allowed, "layer norm of {shape:?}, {dtype}");
        }
    }
}
