//! Failures are errors with device and cause, and the process goes on.

use burn::backend::LibTorch;
use burn::backend::libtorch::{LibTorchDevice, TchError, TchTensor, tch};
use burn::tensor::{Int, Tensor, TensorData};
use burn_conformance::library_backend;

type B = LibTorch;

#[test]
fn bk_008_a_device_that_is_not_there_is_an_error_with_device_and_cause() {
    for device in [LibTorchDevice::Cuda(97), LibTorchDevice::Vulkan] {
        let error = device.open().expect_err("no machine has it");
        let TchError::NoDevice { device: found, cause } = &error else { panic!("{error:?}") };
        assert_eq!(*found, device);
        library_backend::absent_device_is_an_error::<B>(&device, &device.to_string(), cause);
    }
}

#[test]
fn a_tensor_of_libtorch_with_elements_that_are_not_ours_is_an_error() {
    let complex = tch::Tensor::zeros([2], (tch::Kind::ComplexFloat, tch::Device::Cpu));
    let error = TchTensor::from_tch(complex).expect_err("there are no complex numbers");
    assert_eq!(error, TchError::DType { device: LibTorchDevice::Cpu, dtype: "ComplexFloat".into() });
    assert!(error.to_string().contains("ComplexFloat"), "{error}");
    let sparse = tch::Tensor::from_slice(&[1.0_f32, 0.0]).to_sparse(None, None::<i64>, None);
    let error = TchTensor::from_tch(sparse).expect_err("there are no sparse tensors");
    assert!(error.to_string().contains("sparse Float"), "{error}");
}

#[test]
fn an_index_that_is_outside_is_an_error_of_the_call() {
    library_backend::index_outside_is_an_error::<B>();
}

/// LibTorch throws for the first two, and the third ends a process that lets the machine divide.
#[test]
fn integers_have_quotients_that_libtorch_has_not() {
    let ints = |values: [i64; 3]| Tensor::<B, 1, Int>::from_data(values, &Default::default());
    let quotient = ints([7, -7, i64::MIN]) / ints([0, 0, -1]);
    assert_eq!(quotient.into_data(), TensorData::from([0_i64, 0, i64::MIN]));
    let rest = ints([7, -7, i64::MIN]) % ints([0, 0, -1]);
    assert_eq!(rest.into_data(), TensorData::from([0_i64, 0, 0]));
    assert_eq!((ints([7, -7, i64::MIN]) / 0).into_data(), TensorData::from([0_i64, 0, 0]));
    assert_eq!((ints([7, -7, i64::MIN]) / -1).into_data(), TensorData::from([-7_i64, 7, i64::MIN]));
}

#[test]
fn more_than_there_is_memory_is_an_error_that_says_how_much() {
    library_backend::more_than_memory_is_an_error::<B>();
}
