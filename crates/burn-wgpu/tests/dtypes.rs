//! Which element types there are.

mod device;
#[path = "device/missing_dtype.rs"]
mod missing_dtype;

use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, Distribution, HasSpec, TensorData, TensorSpec, block_on, kernels};
use burn_wgpu::{Wgpu, WgpuDevice};

/// `Wgpu` has no `bf16`, and software Vulkan all others: what it left out, the suite would leave out without
/// a word.
#[test]
fn bf16_is_missing_and_software_has_all_others() {
    device::require();
    let device = WgpuDevice::default();
    let one = Wgpu::<f32, i32>::from_data(TensorData::from([1.0_f32]), &device);
    let types = DType::ALL.into_iter().filter(|&dtype| <Wgpu>::has_dtype(&device, dtype));
    let missing: Vec<DType> =
        DType::ALL.into_iter().filter(|&dtype| !<Wgpu>::has_dtype(&device, dtype)).collect();
    println!("there are {:?}", types.collect::<Vec<_>>());
    assert!(missing.contains(&DType::BF16));
    if one.engine().is_software() {
        assert_eq!(missing, [DType::BF16]);
    }
}

/// An index below zero is out of bounds, whatever its type: it reads a zero, and does not count from a
/// narrow type's end.
#[test]
fn narrow_indices_below_zero_are_out_of_range() {
    device::require();
    if missing_dtype::is_refused(DType::I8) {
        return;
    }
    type Leaf = Wgpu<f32, i32>;
    let device = WgpuDevice::default();
    let x = Leaf::from_data(TensorData::new((1..=300).collect::<Vec<i32>>(), [300]), &device);
    let indices = Leaf::from_data(TensorData::from([-1_i8, 2, -128]), &device);
    let found = Leaf::select(x, 0, indices);
    assert_eq!(found.dtype(), DType::I32);
    let found = block_on(Leaf::into_data(found)).unwrap().unwrap();
    assert_eq!(found.as_slice::<i32>().unwrap(), [0, 3, 0]);
}

/// Elements of all types are drawn where they stay: the host would hold up who asks for a large tensor.
#[test]
fn random_elements_are_drawn_by_a_kernel() {
    device::require();
    type Leaf = Wgpu<f32, i32>;
    let device = WgpuDevice::default();
    if missing_dtype::is_refused(DType::F64) {
        let listening = kernels::listen();
        Leaf::random(TensorSpec::new([100], DType::F32), Distribution::Default, &device);
        assert!(
            listening.heard().iter().all(|kernel| kernel != "random"),
            "a device without f64 draws on the host"
        );
        return;
    }
    let laws = [Distribution::Default, Distribution::Bernoulli(0.5), Distribution::Normal(0.0, 1.0)];
    for dtype in DType::ALL.into_iter().filter(|&dtype| <Wgpu>::has_dtype(&device, dtype)) {
        // Integers of a normal law, which may be out of range, are of the host.
        for law in &laws[..if dtype.is_float() { 3 } else { 2 }] {
            let listening = kernels::listen();
            Leaf::random(TensorSpec::new([100], dtype), *law, &device);
            assert_eq!(listening.heard(), ["random"], "{dtype:?} by {law:?}");
        }
    }
}
