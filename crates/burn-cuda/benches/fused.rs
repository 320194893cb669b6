//! Times of fused blocks at sizes for which a device is bought.

#[path = "../tests/device/mod.rs"]
mod device;

use burn_backend::{DType, Distribution, TensorSpec, TypedCalls};
use burn_conformance::times;
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorPrimitive, activation::relu};

type B = Fusion<Cuda>;

fn random<const D: usize>(shape: [usize; D], dtype: DType) -> Tensor<B, D> {
    let spec = TensorSpec::new(shape, DType::F32);
    let x = B::random(spec, Distribution::Normal(0.0, 1.0), &CudaDevice::default());
    Tensor::from_primitive(TensorPrimitive::Float(B::cast(x, dtype)))
}

fn gelu<const D: usize>(x: &Tensor<B, D>) -> Tensor<B, D> {
    let half = (x.clone() / 2_f64.sqrt()).erf() + 1;
    x.clone() * half / 2
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

fn softmax_backward(y: &Tensor<B, 2>, grad: &Tensor<B, 2>) -> Tensor<B, 2> {
    let along = (y.clone() * grad.clone()).sum_dim(1);
    y.clone() * (grad.clone() - along)
}

fn time<const D: usize>(name: &str, task: impl Fn() -> Tensor<B, D>) {
    let task = || vec![task().into_primitive().tensor()];
    times::report::<B>(name, &CudaDevice::default(), &task);
}

fn main() {
    device::require();
    for dtype in [DType::F32, DType::BF16] {
        let x = random([32, 512, 2048], dtype);
        time(&format!("gelu {dtype}"), || gelu(&x));
        let row = random([1, 1, 2048], dtype);
        time(&format!("add a row {dtype}"), || x.clone() + row.clone());
        time(&format!("copy {dtype}"), || Tensor::cat(vec![x.clone()], 0) * 1.5);
        let layer = |size: usize| {
            [random([size, size], dtype), random([size, size], dtype), random([1, size], dtype)]
        };
        let [x, w, bias] = layer(4096);
        time(&format!("product 4096 {dtype}"), || x.clone().matmul(w.clone()));
        time(&format!("layer 4096 {dtype}"), || relu(x.clone().matmul(w.clone()) + bias.clone()));
        time(&format!("gelu layer 4096 {dtype}"), || gelu(&(x.clone().matmul(w.clone()) + bias.clone())));
    }
    for shape in [[8192, 4096], [16_384, 1024], [65_536, 256], [4096, 16_384], [256, 10_000]] {
        let (x, grad) = (random(shape, DType::F32), random(shape, DType::F32));
        time(&format!("softmax {shape:?}"), || softmax(&x));
        time(&format!("softmax, its own kernel {shape:?}"), || {
            burn_tensor::activation::softmax(x.clone(), 1)
        });
        time(&format!("layer norm {shape:?}"), || layer_norm(&x));
        time(&format!("softmax backward {shape:?}"), || softmax_backward(&x, &grad));
        time(&format!("sum of squares {shape:?}"), || x.clone().square().sum_dim(1));
    }
}
