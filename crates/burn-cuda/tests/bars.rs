//! Times of what a device is bought for, as `scripts/gpu-check` compares them with PyTorch's: a line of name and microseconds for each
//! with `BURN_MEASURE`, which is 1 or a part of the names to measure. What they compute is checked by the suite.

mod device;

use burn_backend::*;
use burn_cuda::{Cuda, CudaDevice, allow_tf32};
use burn_fusion::Fusion;
use burn_tensor::{Tensor, TensorPrimitive, activation};
use std::time::Instant;

type B = Fusion<Cuda>;
type Primitive = <B as Backend>::Tensor;

fn random<const D: usize>(shape: [usize; D], dtype: DType) -> Primitive {
    let spec = TensorSpec::new(shape, DType::F32);
    B::cast(B::random(spec, Distribution::Normal(0.0, 1.0), &CudaDevice::default()), dtype)
}

fn tensor<const D: usize>(x: Primitive) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(x))
}

fn primitive<const D: usize>(x: Tensor<B, D>) -> Primitive {
    x.into_primitive().tensor()
}

/// The median time of a call, in microseconds.
fn time(task: &dyn Fn() -> Vec<Primitive>) -> f64 {
    let device = CudaDevice::default();
    let run = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            // They are where they shall be, so this starts what was queued and waits for nothing.
            task().into_iter().for_each(|x| drop(B::to_device(x, &device)));
        }
        B::sync(&device);
        start.elapsed().as_secs_f64() / rounds as f64
    };
    run(2);
    let rounds = (0.05 / run(2)).clamp(1.0, 200.0) as usize;
    let mut times: Vec<f64> = (0..7).map(|_| run(rounds)).collect();
    times.sort_by(f64::total_cmp);
    times[3] * 1e6
}

fn report(name: &str, task: &dyn Fn() -> Vec<Primitive>) {
    let wanted = std::env::var("BURN_MEASURE").unwrap_or_default();
    if wanted == "1" || name.contains(&wanted) {
        println!("{name}\t{:.1}", time(task));
    }
}

fn options() -> ConvOptions {
    ConvOptions { padding: Dims::repeat(1, 2), ..ConvOptions::new(2) }
}

/// A convolution of 64 images of 64 x 56 x 56 by 64 kernels of 3 x 3, and its two gradients where they are wanted.
fn convolution(dtype: DType, with_gradients: bool) -> impl Fn() -> Vec<Primitive> {
    let (x, weight) = (random([64, 64, 56, 56], dtype), random([64, 64, 3, 3], dtype));
    move || {
        let y = B::conv(ConvArgs { x: x.clone(), weight: weight.clone(), bias: None, options: options() });
        if !with_gradients {
            return vec![y];
        }
        let gradient = |other: &Primitive, target: &Primitive| ConvGradArgs {
            grad: y.clone(),
            other: other.clone(),
            target: target.shape().clone(),
            options: options(),
        };
        vec![B::conv_transpose(gradient(&weight, &x)), B::conv_weight_grad(gradient(&x, &weight))]
    }
}

/// Attention of 8 times 16 heads of 64 between 2048 rows each, and its three gradients where they are wanted.
fn attention(with_gradients: bool) -> impl Fn() -> Vec<Primitive> {
    let [query, key, value] = [0; 3].map(|_| random([8, 16, 2048, 64], DType::BF16));
    let (mask, causal, scale) = (None, false, 0.125);
    move || {
        let (query, key, value) = (query.clone(), key.clone(), value.clone());
        let args = AttentionArgs { query, key, value, mask: mask.clone(), causal, scale };
        let (output, log_sums) = B::attention(args.clone());
        if !with_gradients {
            return vec![output];
        }
        let AttentionArgs { query, key, value, mask, .. } = args;
        let grad = output.clone();
        let args = AttentionGradArgs { grad, query, key, value, output, log_sums, mask, causal, scale };
        let (query, key, value) = B::attention_grad(args);
        vec![query, key, value]
    }
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
    report("conv f32", &convolution(DType::F32, false));
    report("conv step f32", &convolution(DType::F32, true));
    allow_tf32(true);
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16), ("f16", DType::F16)] {
        for size in [4096, 8192] {
            let (x, y) = (random([size, size], dtype), random([size, size], dtype));
            report(&format!("matmul {name} {size}"), &|| vec![B::matmul(x.clone(), y.clone())]);
        }
    }
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        let x = tensor::<3>(random([32, 512, 2048], dtype));
        report(&format!("gelu chain {name}"), &|| {
            let half = (x.clone() / 2_f64.sqrt()).erf() + 1;
            vec![primitive(x.clone() * half / 2)]
        });
        let x = tensor::<2>(random([8192, 4096], dtype));
        report(&format!("softmax {name}"), &|| vec![primitive(activation::softmax(x.clone(), 1))]);
        let x = random([16_384, 1024], dtype);
        report(&format!("layer norm {name}"), &|| {
            vec![B::layer_norm(LayerNormArgs { x: x.clone(), weight: None, bias: None, epsilon: 1e-5 })]
        });
        let x = random([8192, 8192], dtype);
        for (dim, place) in [(1, "last"), (0, "first")] {
            report(&format!("sum {place} {name}"), &|| {
                vec![B::reduce(ReduceOp::Sum, x.clone(), Dims::from([dim]))]
            });
        }
    }
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16)] {
        report(&format!("conv {name}"), &convolution(dtype, false));
        report(&format!("conv step {name}"), &convolution(dtype, true));
    }
    report("attention bf16", &attention(false));
    report("attention step bf16", &attention(true));
}
