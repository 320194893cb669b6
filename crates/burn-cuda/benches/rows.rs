//! Times of row operations (softmax, reductions, normalization, scans, sorting) at large sizes.

#[path = "../tests/device/mod.rs"]
mod device;

use burn_backend::*;
use burn_conformance::times;
use burn_cuda::{Cuda, CudaDevice};

type B = Cuda<f32, i32>;
type Tensor = <B as Backend>::Tensor;

fn random(shape: [usize; 2]) -> Tensor {
    B::random(TensorSpec::new(shape, DType::F32), Distribution::Default, &CudaDevice::default())
}

fn reduce(op: ReduceOp, x: Tensor, dims: &[usize]) -> Tensor {
    B::reduce(op, x, dims.iter().copied().collect())
}

fn layer_norm(x: Tensor) -> Tensor {
    B::layer_norm(LayerNormArgs { x, weight: None, bias: None, epsilon: 1e-5 })
}

fn time(name: &str, shape: [usize; 2], task: impl Fn() -> Tensor) {
    times::report::<B>(&format!("{name} {shape:?}"), &CudaDevice::default(), &|| vec![task()]);
}

fn main() {
    device::require();
    for shape in [[4096, 4096], [8192, 8192], [65_536, 256], [256, 65_536]] {
        let (x, grad) = (random(shape), random(shape));
        let two = || (x.clone(), grad.clone());
        time("sum last", shape, || reduce(ReduceOp::Sum, x.clone(), &[1]));
        time("sum first", shape, || reduce(ReduceOp::Sum, x.clone(), &[0]));
        time("sum all", shape, || reduce(ReduceOp::Sum, x.clone(), &[0, 1]));
        time("argmax last", shape, || B::arg_reduce(Extremum::Max, x.clone(), 1, DType::I32));
        time("argmax first", shape, || B::arg_reduce(Extremum::Max, x.clone(), 0, DType::I32));
        time("softmax", shape, || B::softmax(x.clone(), 1));
        time("softmax first", shape, || B::softmax(x.clone(), 0));
        time("log_softmax", shape, || B::log_softmax(x.clone(), 1));
        time("softmax backward, of parts", shape, || {
            let (y, grad) = two();
            let product = B::binary(BinaryOp::Mul, y.clone(), grad.clone());
            let along = reduce(ReduceOp::Sum, product, &[1]);
            B::binary(BinaryOp::Mul, y, B::binary(BinaryOp::Sub, grad, along))
        });
        time("layer_norm", shape, || layer_norm(x.clone()));
        time("layer_norm backward", shape, || {
            let (x, grad) = two();
            B::layer_norm_grad(LayerNormGradArgs { grad, x, weight: None, epsilon: 1e-5 })
        });
        time("cumsum last", shape, || B::cumulative(CumulativeOp::Sum, x.clone(), 1));
        time("cumsum first", shape, || B::cumulative(CumulativeOp::Sum, x.clone(), 0));
    }
    for shape in [[1024, 65_536], [65_536, 1024]] {
        let x = random(shape);
        time("sort", shape, || B::sort(x.clone(), 1, false));
        time("argsort", shape, || B::sort_with_indices(x.clone(), 1, false, DType::I32).1);
        time("top 10", shape, || B::topk(x.clone(), 10, 1, true, DType::I32).0);
        time("top 200", shape, || B::topk(x.clone(), 200, 1, true, DType::I32).0);
    }
    let x = random([1, 1 << 24]);
    time("cumsum", [1, 1 << 24], || B::cumulative(CumulativeOp::Sum, x.clone(), 1));
    time("sort", [1, 1 << 24], || B::sort(x.clone(), 1, false));
}
