//! A missing device or element type is an error with device and cause, and the process goes on.

use burn::backend::Candle;
use burn::backend::candle::{CandleDevice, CandleError, CandleTensor, candle_core};
use burn::tensor::{Int, Tensor};
use burn_conformance::library_backend;

type B = Candle<f32, i64>;

#[test]
fn bk_009_a_device_that_is_not_there_is_an_error_with_device_and_cause() {
    for device in [CandleDevice::Cuda(97), CandleDevice::Metal(97)] {
        let error = device.open().expect_err("no machine has so many");
        let CandleError::NoDevice { device: found, cause } = &error else { panic!("{error:?}") };
        assert_eq!(*found, device);
        library_backend::absent_device_is_an_error::<B>(&device, &device.to_string(), cause);
    }
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
    library_backend::index_outside_is_an_error::<B>();
    // The largest byte is an index like others.
    let values: Vec<f64> = (0..256).map(f64::from).collect();
    let long = Tensor::<B, 1>::from_data(burn::tensor::TensorData::new(values, [256]), &Default::default());
    let index = Tensor::<B, 1, Int>::from_data([255], &Default::default()).cast(burn::tensor::DType::U8);
    assert_eq!(long.select(0, index).into_data().to_f64(), [255.0]);
}

#[test]
fn more_than_there_is_memory_is_an_error_that_says_how_much() {
    drop(Tensor::<B, 2>::zeros([1 << 30, 1], &Default::default()));
    library_backend::more_than_memory_is_an_error::<B>();
}
