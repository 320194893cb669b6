//! Device memory: bytes used by tensors, and bytes left after they are dropped.

mod device;

use burn_autodiff::Autodiff;
use burn_backend::TypedCalls;
use burn_backend::{
    DType, Dims, FftOp, IndexUpdate, InterpolateMode, Interpolation, Scalar, Shape, Slice, TensorData,
    TensorSpec, block_on,
};
use burn_conformance::room::{self, Held};
use burn_fusion::Fusion;
use burn_tensor::{Backend, Distribution, Tensor};
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};
use std::process::Command;

type Leaf = Wgpu<f32, i32>;

/// Environment variable that marks a child process.
const CHILD: &str = "BURN_TEST_CHILD";

/// With each strategy in a process of its own: a device keeps the one that it was opened with.
#[test]
fn pf_005_steps_take_their_memory_from_the_pool_that_was_chosen() {
    device::require();
    if let Ok(pool) = std::env::var(CHILD) {
        return steps_in_a_pool(&pool);
    }
    let name = "pf_005_steps_take_their_memory_from_the_pool_that_was_chosen";
    for pool in ["shared", "exclusive"] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([name, "--exact", "--nocapture"]);
        let output = command.env(CHILD, pool).env("BURN_MEMORY_POOL", pool).output().unwrap();
        assert!(output.status.success(), "{pool}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The part of a process that the test above asks for.
fn steps_in_a_pool(pool: &str) {
    flat();
    // A large page for all, or a page of about its size for each.
    let device = WgpuDevice::default();
    device.memory_cleanup().unwrap();
    let before = held().reserved;
    let tensors: Vec<_> =
        (0..3).map(|_| Leaf::full(TensorSpec::new([3 << 18], DType::F32), Scalar::Int(1), &device)).collect();
    Leaf::sync(&device);
    let more = held().reserved - before;
    let expected = if pool == "shared" { 24 << 20..=1 << 30 } else { 9 << 20..=18 << 20 };
    assert!(expected.contains(&more), "{pool}: {more} bytes for {} tensors of 3 MiB", tensors.len());
}

/// One after the other: both look at what the whole process holds.
#[test]
fn memory_is_counted_given_back_and_flat() {
    device::require();
    let device = WgpuDevice::default();
    room::counted_and_given_back::<Leaf>(1 << 22, &device, &held, &|| device.memory_cleanup().unwrap());
    assert!(WgpuDevice::DiscreteGpu(99).memory_usage().is_err());
    flat();
    tables_stay();
    assignments_leave_shared_buffers_alone();
}

fn held() -> Held {
    let usage = WgpuDevice::default().memory_usage().unwrap();
    Held { buffers: usage.buffers, used: usage.used, reserved: usage.reserved }
}

/// Steps of descent take no more memory after the first ones.
fn flat() {
    type B = Autodiff<Fusion<Leaf>>;
    let device = WgpuDevice::default();
    let random = |shape: [usize; 2]| Tensor::<B, 2>::random(shape, Distribution::Normal(0.0, 0.1), &device);
    let (x, y) = (random([32, 64]), random([32, 8]));
    let mut layers = [random([64, 48]).require_grad(), random([48, 8]).require_grad()];
    let mut step = || {
        let [first, second] = layers.clone();
        let error = x.clone().matmul(first.clone()).tanh().matmul(second.clone()) - y.clone();
        let gradients = (error.clone() * error).mean().backward();
        for layer in &mut layers {
            let gradient = Tensor::from_inner(layer.grad(&gradients).unwrap());
            *layer = (layer.clone().detach() - gradient * 0.1).require_grad();
        }
    };
    room::flat(50, 450, &held, &mut |steps| {
        (0..steps).for_each(|_| step());
        B::sync(&device);
    });
}

/// An assignment may write over its operand. What shares the buffer keeps its numbers.
fn assignments_leave_shared_buffers_alone() {
    let device = WgpuDevice::default();
    let numbers = |x: &CubeTensor| block_on(Leaf::into_data(x.clone())).unwrap().unwrap().to_f64();
    let floats = |values: &[f32], shape: &[usize]| {
        Leaf::from_data(TensorData::new(values, Shape::from(shape)), &device)
    };
    let rows =
        |rows: &[i32], shape: &[usize]| Leaf::from_data(TensorData::new(rows, Shape::from(shape)), &device);
    let slices = |ranges: [[usize; 2]; 2]| {
        ranges.into_iter().map(|[start, end]| Slice { start, end, step: 1 }).collect()
    };
    type Assign<'a> = &'a dyn Fn(CubeTensor) -> CubeTensor;
    let assignments: [Assign<'_>; 3] = [
        &|x| Leaf::slice_assign(x, slices([[1, 2], [0, 2]]), floats(&[20.0, 40.0], &[1, 2])),
        &|x| Leaf::select_assign(x, 0, rows(&[1], &[1]), floats(&[18.0, 37.0], &[1, 2]), IndexUpdate::Add),
        &|x| Leaf::scatter(x, 0, rows(&[1, 1], &[1, 2]), floats(&[18.0, 37.0], &[1, 2]), IndexUpdate::Add),
    ];
    type View<'a> = &'a dyn Fn(CubeTensor) -> CubeTensor;
    let views: [(View<'_>, &[f64]); 4] = [
        (&|x| x, &[0.0, 1.0, 2.0, 3.0]),
        (&|x| Leaf::reshape(x, Shape::from([4])), &[0.0, 1.0, 2.0, 3.0]),
        (&|x| Leaf::permute(x, Dims::from([1, 0])), &[0.0, 2.0, 1.0, 3.0]),
        (&|x| Leaf::slice(x, slices([[1, 2], [0, 2]])), &[2.0, 3.0]),
    ];
    for assign in assignments {
        for (view, expected) in &views {
            let x = floats(&[0.0, 1.0, 2.0, 3.0], &[2, 2]);
            let kept = view(x.clone());
            let found = assign(x);
            assert_eq!(numbers(&found), [0.0, 1.0, 20.0, 40.0]);
            assert_eq!(numbers(&kept), *expected);
        }
        let alone = assign(floats(&[0.0, 1.0, 2.0, 3.0], &[2, 2]));
        assert_eq!(numbers(&alone), [0.0, 1.0, 20.0, 40.0]);
    }
}

/// Constants computed on the host stay on the device, one buffer for each size, up to a limit.
fn tables_stay() {
    let device = WgpuDevice::default();
    let buffers = |calls: &dyn Fn()| {
        Leaf::sync(&device);
        let before = held().buffers;
        calls();
        Leaf::sync(&device);
        held().buffers - before
    };
    let image = Leaf::full(TensorSpec::new([1, 1, 6, 5], DType::F32), Scalar::Int(1), &device);
    let options = Interpolation { mode: InterpolateMode::Cubic, align_corners: false, factors: vec![] };
    let resized =
        |size: usize| drop(Leaf::interpolate(image.clone(), Dims::from([size, 7]), options.clone()));
    let turned = || drop(Leaf::interpolate_grad(image.clone(), [1, 1, 9, 7].into(), options.clone()));
    assert_eq!(buffers(&|| resized(9)), 1);
    assert_eq!(buffers(&|| resized(8)), 1);
    assert_eq!(buffers(&|| (8..10).for_each(resized)), 0);
    let line = Leaf::full(TensorSpec::new([200, 2], DType::F32), Scalar::Int(1), &device);
    let spectrum = || drop(Leaf::fft(FftOp::Forward, line.clone(), 0));
    assert_eq!(buffers(&turned), 1);
    assert_eq!(buffers(&turned), 0);
    assert_eq!(buffers(&spectrum), 1);
    assert_eq!(buffers(&spectrum), 0);
    assert!(buffers(&|| (10..200).for_each(resized)) <= 64);
    // Where something failed, there may have been no room for a table.
    let many = held().buffers;
    let huge = Leaf::full(TensorSpec::new([4_000_000_000], DType::F32), Scalar::Int(1), &device);
    assert!(block_on(Leaf::into_data(huge)).expect("threads can wait here").is_err());
    Leaf::sync(&device);
    assert!(held().buffers + 60 <= many);
    assert_eq!(buffers(&spectrum), 1);
}
