//! Which element types there are.

mod device;

use burn_backend::TypedCalls;
use burn_backend::{Backend, DType, Distribution, TensorSpec, kernels};
use burn_cuda::{Cuda, CudaDevice};

#[test]
fn every_type_is_there() {
    device::require();
    let missing: Vec<DType> =
        DType::ALL.into_iter().filter(|&dtype| !<Cuda>::has_dtype(&CudaDevice::default(), dtype)).collect();
    assert_eq!(missing, []);
}

/// The host would take seconds for the weights of a large network.
#[test]
fn floats_are_drawn_by_a_kernel() {
    device::require();
    for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
        for law in [Distribution::Default, Distribution::Normal(0.0, 1.0)] {
            let listening = kernels::listen();
            <Cuda>::random(TensorSpec::new([100], dtype), law, &CudaDevice::default());
            assert_eq!(listening.heard(), ["random"], "{dtype:?} by {law:?}");
        }
    }
}
