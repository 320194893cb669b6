//! Row operations (softmax, reductions, normalization) at large sizes: results with a known value.

mod device;

use burn_backend::*;
use burn_cuda::{Cuda, CudaDevice};

type B = Cuda<f32, i32>;
type Tensor = <B as Backend>::Tensor;

fn random(shape: [usize; 2]) -> Tensor {
    B::random(TensorSpec::new(shape, DType::F32), Distribution::Default, &CudaDevice::default())
}

fn values(x: Tensor) -> Vec<f64> {
    block_on(B::into_data(x)).unwrap().unwrap().to_f64()
}

fn reduce(op: ReduceOp, x: Tensor, dims: &[usize]) -> Tensor {
    B::reduce(op, x, dims.iter().copied().collect())
}

/// The largest distance of an element from `value`.
fn distance(x: Tensor, value: f32) -> f64 {
    let far = B::unary(UnaryOp::Abs, B::binary_scalar(BinaryOp::Sub, x, Scalar::Float(value.into())));
    values(reduce(ReduceOp::Max, far, &[0, 1]))[0]
}

fn layer_norm(x: Tensor) -> Tensor {
    B::layer_norm(LayerNormArgs { x, weight: None, bias: None, epsilon: 1e-5 })
}

#[test]
fn rows_of_any_length_add_up() {
    device::require();
    for shape in [[70_000, 10], [4096, 1000], [1000, 8192], [100, 20_000], [2, 3_000_001]] {
        let x = random(shape);
        let sums = reduce(ReduceOp::Sum, B::softmax(x.clone(), 1), &[1]);
        assert!(distance(sums, 1.0) < 1e-4, "softmax of {shape:?}");
        let sums = reduce(ReduceOp::Sum, B::softmax(x.clone(), 0), &[0]);
        assert!(distance(sums, 1.0) < 1e-4, "softmax of {shape:?} down");
        assert!(distance(reduce(ReduceOp::Mean, layer_norm(x.clone()), &[1]), 0.0) < 1e-3, "{shape:?}");
        for dim in 0..2 {
            let last = Slice::from(shape[dim] - 1..shape[dim]);
            let mut slices: Slices = shape.iter().map(|&size| Slice::from(0..size)).collect();
            slices[dim] = last;
            let total = B::slice(B::cumulative(CumulativeOp::Sum, x.clone(), dim), slices);
            let sum = reduce(ReduceOp::Sum, x.clone(), &[dim]);
            let ratio = distance(B::binary(BinaryOp::Div, total, sum), 1.0);
            assert!(ratio < 1e-4, "scan of {shape:?} along {dim}: {ratio}");
        }
        let all = values(reduce(ReduceOp::Mean, x, &[0, 1]))[0];
        assert!((all - 0.5).abs() < 1e-2, "{shape:?}: {all}");
    }
}

#[test]
fn columns_of_all_types_add_up() {
    device::require();
    for shape in [[3000, 4096], [70_000, 96], [1500, 1002]] {
        let spec = TensorSpec::new(shape, DType::I32);
        let x = B::random(spec, Distribution::Uniform(0.0, 8.0), &CudaDevice::default());
        // Whole numbers, of which no sum is rounded but the result.
        let last = [Slice::from(shape[0] - 1..shape[0]), Slice::from(0..shape[1])].into_iter().collect();
        let sums = B::slice(B::cumulative(CumulativeOp::Sum, x.clone(), 0), last);
        for dtype in [DType::I32, DType::F32, DType::F16, DType::BF16] {
            let found = reduce(ReduceOp::Sum, B::cast(x.clone(), dtype), &[0]);
            let expected = B::cast(B::cast(sums.clone(), DType::F32), dtype);
            assert_eq!(values(found), values(expected), "{shape:?} of {dtype}");
        }
        let means = reduce(ReduceOp::Mean, B::cast(x, DType::F32), &[0]);
        let expected =
            B::binary_scalar(BinaryOp::Div, B::cast(sums, DType::F32), Scalar::Int(shape[0] as i64));
        assert!(distance(B::binary(BinaryOp::Sub, means, expected), 0.0) < 1e-6, "means of {shape:?}");
    }
}

#[test]
fn long_rows_are_in_order() {
    device::require();
    for shape in [[300, 2048], [100, 65_536], [3, 1_000_003]] {
        let x = random(shape);
        let (sorted, places) = B::sort_with_indices(x.clone(), 1, false, DType::I32);
        let part = |from: usize, to: usize| {
            let slices = [Slice::from(0..shape[0]), Slice::from(from..to)].into_iter().collect();
            B::slice(sorted.clone(), slices)
        };
        let ordered = B::compare(CompareOp::LessEqual, part(0, shape[1] - 1), part(1, shape[1]));
        assert_eq!(values(B::reduce(ReduceOp::All, ordered, Dims::from([0, 1]))), [1.0], "{shape:?}");
        let fetched = B::gather(x.clone(), 1, places);
        assert_eq!(distance(B::binary(BinaryOp::Sub, fetched, sorted.clone()), 0.0), 0.0, "{shape:?}");
        let least = B::topk(x, 20, 1, false, DType::I32).0;
        assert_eq!(distance(B::binary(BinaryOp::Sub, least, part(0, 20)), 0.0), 0.0, "{shape:?}");
    }
}
