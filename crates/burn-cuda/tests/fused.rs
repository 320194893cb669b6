//! Fused blocks at sizes for which a device is bought: results that can be foretold, and with `BURN_MEASURE` times.

mod device;

use burn_backend::{Backend, DType, Distribution, TensorSpec};
use burn_cuda::{Cuda, CudaDevice};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorPrimitive, activation::relu};
use std::time::Instant;

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

/// The largest distance of an element from `value`.
fn distance(x: Tensor<B, 2>, value: f32) -> f64 {
    (x - value).abs().max().into_data().to_f64()[0]
}

#[test]
fn rows_add_up() {
    if device::is_missing() {
        return;
    }
    for shape in [[70_000, 10], [4096, 1000], [1000, 8192], [100, 16_383]] {
        let x = random(shape, DType::F32);
        assert!(distance(softmax(&x).sum_dim(1), 1.0) < 1e-4, "softmax of {shape:?}");
        assert!(distance(layer_norm(&x).square().mean_dim(1), 1.0) < 1e-3, "layer norm of {shape:?}");
    }
}

/// The median time of a task that reads and writes so many bytes.
fn time<const D: usize>(name: &str, bytes: usize, task: impl Fn() -> Tensor<B, D>) {
    let device = CudaDevice::default();
    let run = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            // It is where it shall be, so this runs the block and waits for nothing.
            drop(task().to_device(&device));
        }
        B::sync(&device);
        start.elapsed().as_secs_f64() / rounds as f64
    };
    run(2);
    let rounds = (0.03 / run(2)).clamp(1.0, 200.0) as usize;
    let mut times: Vec<f64> = (0..7).map(|_| run(rounds)).collect();
    times.sort_by(f64::total_cmp);
    println!("{name}: {:.1} us, {:.0} GB/s", times[3] * 1e6, bytes as f64 / times[3] / 1e9);
}

#[test]
fn times() {
    if device::is_missing() {
        return;
    }
    if std::env::var_os("BURN_MEASURE").is_none() {
        eprintln!("skipped: times are measured with BURN_MEASURE");
        return;
    }
    for dtype in [DType::F32, DType::BF16] {
        let size = dtype.size();
        let x = random([32, 512, 2048], dtype);
        let bytes = 32 * 512 * 2048 * size;
        time(&format!("gelu {dtype}"), 2 * bytes, || gelu(&x));
        let row = random([1, 1, 2048], dtype);
        time(&format!("add a row {dtype}"), 2 * bytes, || x.clone() + row.clone());
        time(&format!("copy {dtype}"), 2 * bytes, || Tensor::cat(vec![x.clone()], 0) * 1.5);
        let layer = |size: usize| {
            [random([size, size], dtype), random([size, size], dtype), random([1, size], dtype)]
        };
        let [x, w, bias] = layer(4096);
        time(&format!("product 4096 {dtype}"), 0, || x.clone().matmul(w.clone()));
        time(&format!("layer 4096 {dtype}"), 0, || relu(x.clone().matmul(w.clone()) + bias.clone()));
        time(&format!("gelu layer 4096 {dtype}"), 0, || gelu(&(x.clone().matmul(w.clone()) + bias.clone())));
    }
    for shape in [[8192, 4096], [16_384, 1024], [65_536, 256], [4096, 16_384], [256, 10_000]] {
        let (x, grad) = (random(shape, DType::F32), random(shape, DType::F32));
        let bytes = shape[0] * shape[1] * 4;
        time(&format!("softmax {shape:?}"), 2 * bytes, || softmax(&x));
        time(&format!("softmax, its own kernel {shape:?}"), 2 * bytes, || {
            burn_tensor::activation::softmax(x.clone(), 1)
        });
        time(&format!("layer norm {shape:?}"), 2 * bytes, || layer_norm(&x));
        time(&format!("softmax backward {shape:?}"), 3 * bytes, || softmax_backward(&x, &grad));
        time(&format!("sum of squares {shape:?}"), bytes, || x.clone().square().sum_dim(1));
    }
}
