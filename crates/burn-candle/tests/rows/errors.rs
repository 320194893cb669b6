//! A missing device or element type is an error with device and cause, and the process goes on.

use burn::backend::Candle;
use burn::backend::candle::{CandleDevice, CandleError, CandleTensor, candle_core};
use burn::tensor::{Int, Tensor};

type B = Candle<f32, i64>;

#[test]
fn bk_009_a_device_that_is_not_there_is_an_error_with_device_and_cause() {
    for device in [CandleDevice::Cuda(97), CandleDevice::Metal(97)] {
        let error = device.open().expect_err("no machine has so many");
        let CandleError::NoDevice { device: found, cause } = &error else { panic!("{error:?}") };
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
fn a_tensor_of_candle_with_elements_that_are_not_ours_is_an_error() {
    let x = candle_core::Tensor::new(&[1.0_f32], &candle_core::Device::Cpu).expect("it fits");
    let narrow = x.to_dtype(candle_core::DType::F8E4M3).expect("candle has it");
    let error = CandleTensor::from_candle(narrow).expect_err("there are no floats of 8 bits");
    assert_eq!(error, CandleError::DType { device: CandleDevice::Cpu, dtype: "f8e4m3".into() });
    assert!(error.to_string().contains("f8e4m3"), "{error}");
}

#[test]
fn an_index_that_is_outside_is_an_error_of_the_call() {
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    // Candle takes the largest index of a type for "nothing".
    for index in [3, -1, i64::MAX] {
        let index = Tensor::<B, 1, Int>::from_data([index], &Default::default());
        for error in [x.clone().try_gather(0, index.clone()), x.clone().try_select(0, index.clone())] {
            let error = error.expect_err("it is outside").to_string();
            assert!(error.contains("is out of range for dimension 0 of [3]"), "{error}");
        }
    }
    // The largest byte is an index like others.
    let values: Vec<f64> = (0..256).map(f64::from).collect();
    let long = Tensor::<B, 1>::from_data(burn::tensor::TensorData::new(values, [256]), &Default::default());
    let index = Tensor::<B, 1, Int>::from_data([255], &Default::default()).cast(burn::tensor::DType::U8);
    assert_eq!(long.select(0, index).into_data().to_f64(), [255.0]);
}

#[test]
fn more_than_there_is_memory_is_an_error_that_says_how_much() {
    let error = Tensor::<B, 1>::try_zeros([1 << 50], &Default::default()).expect_err("no machine has it");
    assert!(error.to_string().contains("4.00 PiB"), "{error}");
    let x = Tensor::<B, 2>::zeros([1 << 30, 1], &Default::default());
    drop(x);
    let wide = Tensor::<B, 2>::zeros([1, 1], &Default::default()).expand([1 << 25, 1 << 25]);
    let error = wide.try_exp().expect_err("no machine has it");
    assert!(error.to_string().contains("PiB"), "{error}");
}
