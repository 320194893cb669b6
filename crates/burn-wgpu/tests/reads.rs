//! Nothing comes back to the host but what is asked for.

mod device;

use burn_backend::{
    Backend, BinaryOp, DType, Dims, Distribution, Factorization, ReduceOp, Shape, TensorSpec, Triangle,
    UnaryOp, block_on,
};
use burn_wgpu::{Wgpu, WgpuDevice};

#[test]
fn only_into_data_reads() {
    device::require();
    let device = WgpuDevice::default();
    let random = |shape: [usize; 2]| {
        Wgpu::<f32, i32>::random(TensorSpec::new(shape, DType::F32), Distribution::Default, &device)
    };
    let (x, y) = (random([64, 32]), random([32, 48]));
    let engine = x.engine();
    let before = engine.reads();
    let product = Wgpu::<f32, i32>::matmul(x, y);
    let sorted = Wgpu::<f32, i32>::sort(product, 1, true);
    let softmax = Wgpu::<f32, i32>::softmax(sorted, 1);
    let flat = Wgpu::<f32, i32>::reshape(softmax, Shape::from([64 * 48]));
    let sum = Wgpu::<f32, i32>::reduce(ReduceOp::Sum, flat, Dims::from([0]));
    let result =
        Wgpu::<f32, i32>::binary(BinaryOp::Add, sum.clone(), Wgpu::<f32, i32>::unary(UnaryOp::Exp, sum));
    let square = random([40, 40]);
    for op in Factorization::ALL {
        let _ = Wgpu::<f32, i32>::factorize(op, square.clone());
    }
    let (packed, _) = Wgpu::<f32, i32>::lu(square.clone(), DType::I32);
    let solved = Wgpu::<f32, i32>::solve(square, packed.clone());
    let _ = Wgpu::<f32, i32>::solve_triangular(packed, solved, Triangle { upper: true, unit: true });
    assert_eq!(engine.reads(), before, "nothing is read before it is asked for");
    let data = block_on(Wgpu::<f32, i32>::into_data(result)).unwrap().unwrap();
    assert_eq!(engine.reads(), before + 1);
    // 64 rows that sum to 1 each.
    let expected = 64.0 + 64.0_f64.exp();
    assert!((data.to_f64()[0] / expected - 1.0).abs() < 1e-3, "{data}");
}
