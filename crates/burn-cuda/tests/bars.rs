//! Times of what a device is bought for, as `scripts/gpu-check` compares them with PyTorch's: a line of name and microseconds for each
//! with `BURN_MEASURE`, which is 1 or a part of the names to measure. What they compute is checked by the suite.

mod device;

use burn_backend::*;
use burn_conformance::times;
use burn_cuda::{Cuda, CudaDevice, allow_tf32};
use burn_fusion::Fusion;

type B = Fusion<Cuda>;
type Primitive = <B as Backend>::Tensor;

fn random<const D: usize>(shape: [usize; D], dtype: DType) -> Primitive {
    times::normal::<B>(shape, dtype, &CudaDevice::default())
}

fn report(name: &str, task: &dyn Fn() -> Vec<Primitive>) {
    times::report::<B>(name, &CudaDevice::default(), task);
}

fn options() -> ConvOptions {
    ConvOptions { padding: Dims::repeat(1, 2), ..ConvOptions::new(2) }
}

/// A convolution of 64 images of 64 x 56 x 56 by 64 kernels of 3 x 3, and its two gradients where they are wanted.
fn convolution(dtype: DType, with_gradients: bool, channels_last: bool) -> impl Fn() -> Vec<Primitive> {
    let made = |[batch, channels, height, width]: [usize; 4]| {
        if !channels_last {
            return random([batch, channels, height, width], dtype);
        }
        B::permute(random([batch, height, width, channels], dtype), Dims::from([0, 3, 1, 2]))
    };
    let (x, weight) = (made([64, 64, 56, 56]), made([64, 64, 3, 3]));
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
fn attention(dtype: DType, with_gradients: bool) -> impl Fn() -> Vec<Primitive> {
    let [query, key, value] = [0; 3].map(|_| random([8, 16, 2048, 64], dtype));
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

/// Transforms of lines, complex ones as pairs.
fn transforms() {
    for (lines, n) in [(256, 4096), (4096, 1000)] {
        let x = random([lines, n], DType::F32);
        report(&format!("rfft {lines} x {n} f32"), &|| vec![B::fft(FftOp::Real, x.clone(), 1)]);
    }
    let complex = [(64, 65_536, DType::F32), (4096, 1000, DType::F32), (1024, 4099, DType::F32)];
    for (lines, n, dtype) in complex.into_iter().chain([(4096, 1000, DType::F64)]) {
        let x = random([lines, n, 2], dtype);
        report(&format!("fft {lines} x {n} {}", dtype.name()), &|| {
            vec![B::fft(FftOp::Forward, x.clone(), 1)]
        });
    }
}

/// Matrices with `along` more on the diagonal.
fn matrices<const D: usize>(shape: [usize; D], along: f64) -> Primitive {
    let size = shape[D - 1];
    let counted = |sizes: [usize; 2]| {
        let spec = TensorSpec::new([size], DType::I32);
        let range = B::range(spec, Scalar::Int(0), Scalar::Int(1), &CudaDevice::default());
        B::expand(B::reshape(range, sizes.into()), [size, size].into())
    };
    let is_along = B::compare(CompareOp::Equal, counted([size, 1]), counted([1, size]));
    let more = B::binary_scalar(BinaryOp::Mul, B::cast(is_along, DType::F32), Scalar::Float(along));
    B::binary(BinaryOp::Add, random(shape, DType::F32), B::expand(more, shape.into()))
}

/// Factorisations and systems of equations, in `f32`.
fn linear_algebra() {
    let (a, b) = (matrices([1024, 1024], 1.0), random([1024, 1], DType::F32));
    report("solve 1024", &|| vec![B::solve(a.clone(), b.clone())]);
    let definite = matrices([1024, 1024], 200.0);
    let factorize = |name: &str, op: Factorization, x: &Primitive| {
        report(name, &|| vec![B::factorize(op, x.clone())]);
    };
    factorize("cholesky 1024", Factorization::Cholesky, &definite);
    factorize("qr 1024", Factorization::Qr, &a);
    factorize("qr 64 x 32", Factorization::Qr, &matrices([64, 32, 32], 1.0));
    let some = matrices([256, 256], 1.0);
    factorize("eigh 256", Factorization::Eigh, &some);
    factorize("svd 256", Factorization::Svd, &some);
    for (op, along) in
        [(Factorization::Cholesky, 20.0), (Factorization::Eigh, 1.0), (Factorization::Svd, 1.0)]
    {
        factorize(&format!("{} 64 x 32", op.name()), op, &matrices([64, 32, 32], along));
    }
}

#[test]
fn times() {
    device::require();
    if !times::are_wanted() {
        return;
    }
    report("conv f32", &convolution(DType::F32, false, false));
    report("conv step f32", &convolution(DType::F32, true, false));
    let (x, y) = (random([4096, 4096], DType::F64), random([4096, 4096], DType::F64));
    report("matmul f64 4096", &|| vec![B::matmul(x.clone(), y.clone())]);
    drop((x, y));
    allow_tf32(true);
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16), ("f16", DType::F16)] {
        for size in [4096, 8192] {
            let (x, y) = (random([size, size], dtype), random([size, size], dtype));
            report(&format!("matmul {name} {size}"), &|| vec![B::matmul(x.clone(), y.clone())]);
        }
    }
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        times::memory_bound::<B>("", name, dtype, &CudaDevice::default());
    }
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16)] {
        report(&format!("conv {name}"), &convolution(dtype, false, false));
        report(&format!("conv step {name}"), &convolution(dtype, true, false));
        report(&format!("conv channels last {name}"), &convolution(dtype, false, true));
        report(&format!("conv step channels last {name}"), &convolution(dtype, true, true));
    }
    for (name, dtype) in [("tf32", DType::F32), ("bf16", DType::BF16)] {
        report(&format!("attention {name}"), &attention(dtype, false));
        report(&format!("attention step {name}"), &attention(dtype, true));
    }
    transforms();
    linear_algebra();
}
