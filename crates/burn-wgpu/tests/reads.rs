//! Calls return before their results are there, and nothing comes back to the host but what is asked for.

mod device;

use burn_backend::TypedCalls;
use burn_backend::{
    Backend, BinaryOp, DType, Dims, Distribution, Factorization, RecurrentArgs, RecurrentGradArgs,
    RecurrentKind, ReduceOp, Shape, TensorSpec, Triangle, UnaryOp, block_on,
};
use burn_wgpu::{Wgpu, WgpuDevice};
use std::sync::Mutex;
use std::time::Instant;

/// The tests count, and go one after the other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn only_into_data_reads() {
    let _alone = ALONE.lock().unwrap();
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

#[test]
fn pf_003_calls_return_before_their_kernels_ran() {
    let _alone = ALONE.lock().unwrap();
    device::require();
    type B = Wgpu<f32, i32>;
    let device = WgpuDevice::default();
    let square = || B::random(TensorSpec::new([768, 768], DType::F32), Distribution::Default, &device);
    let (mut x, y) = (square(), square());
    // Kernels are compiled.
    drop(B::matmul(x.clone(), y.clone()));
    B::sync(&device);
    let start = Instant::now();
    for _ in 0..8 {
        x = B::matmul(x, y.clone());
    }
    let returned = start.elapsed();
    B::sync(&device);
    let done = start.elapsed();
    assert!(returned * 2 < done, "the calls returned after {returned:?}, and were done after {done:?}");
}

#[test]
fn a_recurrent_network_launches_a_product_and_a_kernel_for_each_step() {
    let _alone = ALONE.lock().unwrap();
    device::require();
    let (time, batch, size) = (7, 3, 5);
    let random = |shape: &[usize]| {
        let spec = TensorSpec::new(Shape::from(shape), DType::F32);
        Wgpu::<f32, i32>::random(spec, Distribution::Default, &WgpuDevice::default())
    };
    let (gates, weight) = (random(&[time, batch, 4 * size]), random(&[size, 4 * size]));
    let [hidden, cell] = [0, 1].map(|_| random(&[batch, size]));
    let grad = random(&[time + 2, batch, size]);
    let engine = grad.engine();
    let (reads, before) = (engine.reads(), engine.launches());
    let (states, activations) = Wgpu::<f32, i32>::recurrent(RecurrentArgs {
        kind: RecurrentKind::Lstm,
        gates,
        weight: weight.clone(),
        hidden,
        cell: Some(cell.clone()),
        bias: None,
        lengths: None,
        reverse: false,
        keep_activations: true,
    });
    // The states before the first step are copied to where those between two steps are.
    assert_eq!(engine.launches() - before, 2 + 2 * time);
    let before = engine.launches();
    let _ = Wgpu::<f32, i32>::recurrent_grad(RecurrentGradArgs {
        kind: RecurrentKind::Lstm,
        grad,
        states,
        activations,
        weight,
        initial: Some(cell),
        lengths: None,
        reverse: false,
    });
    // So are their gradients, and the product of the first step is added at the end.
    assert_eq!(engine.launches() - before, 2 + 2 * time + 1);
    assert_eq!(engine.reads(), reads);
}
