//! Where there is no driver, or none of its devices may be used, every call says so.

use burn_backend::{TensorData, TypedCalls};
use burn_conformance::again::again;
use burn_cuda::{Cuda, CudaDevice, CudaError};

#[test]
fn without_a_device_all_calls_say_so() {
    // The environment hides the devices of an installed driver.
    if again("without_a_device_all_calls_say_so", &[("CUDA_VISIBLE_DEVICES", "-1")]).is_some() {
        return;
    }
    let device = CudaDevice::default();
    let error = device.open().unwrap_err();
    let text = error.to_string();
    match &error {
        CudaError::NoDriver { .. } => {
            assert_eq!(
                text,
                "Cuda(0): the NVIDIA driver is not there: its library (libcuda) cannot be loaded"
            );
        }
        CudaError::NoDevice { .. } => {
            assert_eq!(text, "Cuda(0): there is no such device, the driver offers 0")
        }
        CudaError::Failed { .. } => assert!(text.starts_with("Cuda(0): cuInit: "), "{text}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(device.memory_usage().unwrap_err(), error);
    assert_eq!(device.memory_cleanup().unwrap_err(), error);
    assert!(CudaDevice::new(99).open().unwrap_err().to_string().starts_with("Cuda(99): "));
    let made = || drop(Cuda::<f32, i32>::from_data(TensorData::new([1.0_f32], [1]), &device));
    let panic = std::panic::catch_unwind(made).unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*panic, text);
}
