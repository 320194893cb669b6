//! The kernel gives what three operations give on the CPU, forward and backward.

#[path = "../examples/custom-wgpu-kernel.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use burn::backend::wgpu::{
    Execute, JitBackend, KernelSource, SourceKernel, SourceTemplate, WgpuDevice, WgpuRuntime, build_info,
    kernel_wgsl,
};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::{DType, Element, Tensor, TensorData, TensorError, TensorPrimitive, backend};
use burn_conformance::fused_matmul_add_relu::{check_gradients, check_results, check_views, tensor};
use cubecl::CubeCount;
use cubecl::prelude::{CubeDim, KernelId, Runtime};
use custom_wgpu_kernel::matmul_add_relu_custom;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

type Leaf = JitBackend<WgpuRuntime, f32, i32>;

/// The error of a kernel of the program itself is returned to the first thread that reads: the test of a
/// faulty kernel runs alone, the others beside each other.
static KERNELS: RwLock<()> = RwLock::new(());

/// Opens the device, and waits until no faulty kernel runs.
///
/// # Panics
/// When there is no device: a test that tests nothing must not pass.
fn require() -> RwLockReadGuard<'static, ()> {
    if let Err(error) = WgpuDevice::default().open() {
        panic!("this test needs a device: {error}");
    }
    KERNELS.read().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn bk_018_the_raw_backend_of_kernel_authors_is_not_lazy() {
    use burn::backend::wgpu::{Wgpu, WgpuBackend};
    use std::any::TypeId;

    fn dtypes<B: backend::Backend>() -> [DType; 2] {
        [B::FloatElem::DTYPE, B::IntElem::DTYPE]
    }
    assert_eq!(dtypes::<WgpuBackend<f32, i32>>(), [DType::F32, DType::I32]);
    assert_eq!(TypeId::of::<WgpuBackend<f32, i32>>(), TypeId::of::<JitBackend<WgpuRuntime, f32, i32>>());
    // With the feature `fusion`, which is on here, `Wgpu` is the lazy one.
    assert_eq!(TypeId::of::<Wgpu<f32, i32>>(), TypeId::of::<Fusion<WgpuBackend<f32, i32>>>());
}

#[test]
fn f_013_the_feature_template_fills_places_in_wgsl() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("read");
    let features = manifest.lines().find(|line| line.starts_with("burn = ")).expect("it uses burn");
    assert!(features.contains("\"template\""), "{features}");
    let template = SourceTemplate::new("const n: {{ elem }} = {{elem}}({{ value }});");
    let template = template.register("elem", "f32").register("value", "1.0").register("value", "2.5");
    assert_eq!(template.complete().as_deref(), Ok("const n: f32 = f32(2.5);"));
}

#[test]
fn ke_009_the_kernel_gives_what_three_operations_give() {
    let _device = require();
    let device = WgpuDevice::default();
    check_results::<Leaf, NdArray>(matmul_add_relu_custom, &device);
    check_results::<Fusion<Leaf>, NdArray>(matmul_add_relu_custom, &device);
}

#[test]
fn ke_009_gradients_are_those_of_three_operations() {
    let _device = require();
    let device = WgpuDevice::default();
    check_gradients::<Autodiff<Leaf>, Autodiff<NdArray>>(matmul_add_relu_custom, &device);
    check_gradients::<Autodiff<Fusion<Leaf>>, Autodiff<NdArray>>(matmul_add_relu_custom, &device);
}

#[test]
fn ke_004_views_are_what_they_show() {
    let _device = require();
    check_views::<Leaf, NdArray>(matmul_add_relu_custom, &WgpuDevice::default());
}

#[test]
fn ke_008_sizes_and_steps_are_words() {
    let _device = require();
    let x = tensor::<Leaf>([2, 3, 4], 0.0, &WgpuDevice::default());
    let y = x.clone().swap_dims(0, 2).into_primitive().tensor();
    let info = build_info(&[&x.into_primitive().tensor(), &y]);
    assert_eq!(info, [3, 12, 4, 1, 2, 3, 4, 1, 4, 12, 4, 3, 2]);
}

kernel_wgsl!(Add, "./add.wgsl");

/// Adds a number that is part of the text.
#[derive(Debug)]
struct AddNumber {
    name: &'static str,
    number: &'static str,
}

impl KernelSource for AddNumber {
    fn source(&self) -> SourceTemplate {
        Add::new().source().register(self.name, self.number)
    }
    fn id(&self) -> KernelId {
        KernelId::new::<Self>().info((self.name, self.number))
    }
}

/// Runs it on four numbers.
fn add(kernel: AddNumber) -> Result<TensorData, TensorError> {
    let x = Tensor::<Leaf, 1>::from_data([1.0, 2.0, 3.0, 4.0], &WgpuDevice::default());
    let x = x.into_primitive().tensor();
    let kernel = Box::new(SourceKernel::new(kernel, CubeDim::new_1d(4)));
    let buffers = vec![x.handle().clone().binding()];
    x.client::<WgpuRuntime>().execute(kernel, CubeCount::Static(1, 1, 1), buffers);
    Tensor::<Leaf, 1>::from_primitive(TensorPrimitive::Float(x)).try_into_data()
}

#[test]
fn ke_007_kernels_of_other_ids_are_other_kernels() {
    let _device = require();
    assert_eq!(
        add(AddNumber { name: "number", number: "1.5" }),
        Ok(TensorData::from([2.5_f32, 3.5, 4.5, 5.5]))
    );
    assert_eq!(
        add(AddNumber { name: "number", number: "-1.0" }),
        Ok(TensorData::from([0.0_f32, 1.0, 2.0, 3.0]))
    );
}

#[test]
fn ke_005_a_client_makes_buffers_and_runs_kernels_on_them() {
    let _device = require();
    let client = WgpuRuntime::client(&WgpuDevice::default());
    assert_eq!(client.empty(24).size_in_used(), 24);
    let buffer = client.create_from_slice(bytemuck::cast_slice(&[0.0_f32; 8]));
    // Two cubes of four units, twice.
    for _ in 0..2 {
        let kernel = SourceKernel::new(AddNumber { name: "number", number: "0.5" }, CubeDim::new_1d(4));
        client.execute(Box::new(kernel), CubeCount::Static(2, 1, 1), vec![buffer.clone().binding()]);
    }
    let bytes = client.read_one(buffer).expect("the device answers");
    assert_eq!(bytemuck::cast_slice::<u8, f32>(&bytes), [1.0; 8]);
}

#[test]
fn ke_006_what_nothing_was_registered_for_is_named_when_values_are_read() {
    drop(require());
    let _alone = KERNELS.write().unwrap_or_else(PoisonError::into_inner);
    let message =
        add(AddNumber { name: "nummer", number: "1.0" }).expect_err("the text has a place left").to_string();
    assert!(message.contains("nothing was registered for {{ number }}, only [\"nummer\"]"), "{message}");
}

#[test]
fn ex_003_the_program_finds_no_difference() {
    let _device = require();
    let differences = program::run(&WgpuDevice::default());
    assert_eq!(differences.len(), 8);
    // Gradients of `lhs` are sums of 1024 numbers below 1, added up in two orders.
    assert!(differences.iter().all(|difference| *difference < 5e-3), "{differences:?}");
}
