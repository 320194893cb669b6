//! The kernel gives what three operations give on the CPU, forward and backward.

#[path = "../examples/custom-cubecl-kernel.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use burn::backend::wgpu::{JitBackend, JitTensor, WgpuDevice, WgpuRuntime, into_contiguous};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::{HasSpec, Shape, Tensor};
use burn_conformance::fused_matmul_add_relu::{check_gradients, check_results, check_views, tensor};
use cubecl::prelude::Runtime;
use custom_cubecl_kernel::matmul_add_relu_custom;
use std::panic::AssertUnwindSafe;

type Leaf = JitBackend<WgpuRuntime, f32, i32>;

/// # Panics
/// When there is no device: a test that tests nothing must not pass.
fn require() {
    if let Err(error) = WgpuDevice::default().open() {
        panic!("this test needs a device: {error}");
    }
}

#[test]
fn ke_009_the_kernel_gives_what_three_operations_give() {
    require();
    let device = WgpuDevice::default();
    check_results::<Leaf, NdArray>(matmul_add_relu_custom, &device);
    check_results::<Fusion<Leaf>, NdArray>(matmul_add_relu_custom, &device);
}

#[test]
fn ke_002_shape_dtype_and_buffer_are_fields() {
    require();
    let x = Tensor::<Leaf, 2>::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &WgpuDevice::default());
    let x: JitTensor = x.into_primitive().tensor();
    assert_eq!(x.shape.dims[..], [2, 3]);
    assert_eq!((x.shape.num_dims(), x.dtype), (2, burn::tensor::DType::F32));
    assert_eq!(x.handle.size_in_used(), 6 * 4);
    let client = x.client::<WgpuRuntime>().clone();
    let bytes = client.read_one(x.handle.clone()).expect("the device answers");
    let expected: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_ne_bytes()).collect();
    assert_eq!(&bytes[..], expected);
}

#[test]
fn ke_009_gradients_are_those_of_three_operations() {
    require();
    let device = WgpuDevice::default();
    check_gradients::<Autodiff<Leaf>, Autodiff<NdArray>>(matmul_add_relu_custom, &device);
    check_gradients::<Autodiff<Fusion<Leaf>>, Autodiff<NdArray>>(matmul_add_relu_custom, &device);
}

#[test]
fn ke_001_a_kernel_sees_sizes_and_steps_of_views() {
    require();
    check_views::<Leaf, NdArray>(matmul_add_relu_custom, &WgpuDevice::default());
}

#[test]
fn ke_002_a_tensor_knows_its_client_and_its_device() {
    require();
    let device = WgpuDevice::default();
    let x = tensor::<Leaf>([1, 2, 3], 0.0, &device).into_primitive().tensor();
    assert_eq!(x.device::<WgpuRuntime>(), device);
    let client = x.client::<WgpuRuntime>();
    // The buffer is that of the tensor.
    let bytes = client.read_one(x.handle().clone()).expect("the device answers");
    assert_eq!(f32::from_le_bytes(bytes[4..8].try_into().expect("four bytes")), 0.37_f32.sin());
    let copy = JitTensor::new_contiguous::<WgpuRuntime, f32>(
        client.clone(),
        device,
        Shape::new([3, 2]),
        client.create_from_slice(&bytes),
    );
    assert_eq!(copy.shape(), Shape::new([3, 2]));
    let argument = copy.as_tensor_arg::<WgpuRuntime>(1);
    assert_eq!((argument.shape(), argument.strides()), (&[3, 2][..], &[2, 1][..]));
}

#[test]
#[should_panic(expected = "needs 24 bytes, the buffer has 20")]
fn ke_002_a_buffer_that_is_too_short_is_refused() {
    require();
    let client = WgpuRuntime::client(&WgpuDevice::default());
    let buffer = client.create_from_slice(&[0; 20]);
    JitTensor::new_contiguous::<WgpuRuntime, f32>(client, WgpuDevice::default(), Shape::new([3, 2]), buffer);
}

#[test]
fn ke_003_views_that_start_elsewhere_are_no_arguments() {
    require();
    let x = tensor::<Leaf>([4, 6, 8], 1.0, &WgpuDevice::default()).slice([1..3, 0..6, 0..8]);
    let x = x.into_primitive().tensor();
    let refused = std::panic::catch_unwind(AssertUnwindSafe(|| x.as_tensor_arg::<WgpuRuntime>(1).size()));
    let message = *refused.expect_err("it starts in the middle").downcast::<String>().expect("a text");
    assert!(message.contains("from element 48 on"), "{message}");
    assert_eq!(into_contiguous(x).as_tensor_arg::<WgpuRuntime>(4).size(), 96);
}

#[test]
fn ex_004_the_program_finds_no_difference() {
    require();
    let differences = program::run(&WgpuDevice::default());
    assert_eq!(differences.len(), 8);
    // Gradients of `lhs` are sums of 1024 numbers below 1, added up in two orders.
    assert!(differences.iter().all(|difference| *difference < 5e-3), "{differences:?}");
}
