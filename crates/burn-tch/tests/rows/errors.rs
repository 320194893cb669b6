//! Failures are errors with device and cause, and the process goes on.

use burn::backend::LibTorch;
use burn::backend::libtorch::{LibTorchDevice, TchError, TchTensor, tch};
use burn::tensor::{Int, Tensor, TensorData};

type B = LibTorch;

#[test]
fn bk_008_a_device_that_is_not_there_is_an_error_with_device_and_cause() {
    for device in [LibTorchDevice::Cuda(97), LibTorchDevice::Vulkan] {
        let error = device.open().expect_err("no machine has it");
        let TchError::NoDevice { device: found, cause } = &error else { panic!("{error:?}") };
        assert_eq!(*found, device);
        assert!(!cause.is_empty(), "{error}");
        let made = Tensor::<B, 1>::try_from_data([1.0], &device).expect_err("there is no device");
        let text = made.to_string();
        assert!(text.contains(&device.to_string()) && text.contains(cause), "{text}");
    }
    // The process goes on.
    assert_eq!(Tensor::<B, 1>::from_data([1.0], &Default::default()).into_data().to_f64(), [1.0]);
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
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    for index in [3, -1, i64::MAX] {
        let index = Tensor::<B, 1, Int>::from_data([index], &Default::default());
        for error in [x.clone().try_gather(0, index.clone()), x.clone().try_select(0, index.clone())] {
            let error = error.expect_err("it is outside").to_string();
            assert!(error.contains("is out of range for dimension 0 of [3]"), "{error}");
        }
    }
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
    let error = Tensor::<B, 1>::try_zeros([1 << 50], &Default::default()).expect_err("no machine has it");
    assert!(error.to_string().contains("4.00 PiB"), "{error}");
    let wide = Tensor::<B, 2>::zeros([1, 1], &Default::default()).expand([1 << 25, 1 << 25]);
    let error = wide.try_exp().expect_err("no machine has it");
    assert!(error.to_string().contains("PiB"), "{error}");
}
