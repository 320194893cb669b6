//! Where there is no ROCm, or none of its devices may be used, every call says so.

use burn_backend::{TensorData, TypedCalls};
use burn_conformance::again::again;
use burn_rocm::{Rocm, RocmDevice, RocmError};

#[test]
fn bk_005_without_a_device_all_calls_of_rocm_say_so() {
    // The environment hides the devices of an installed runtime.
    let variables = [("HIP_VISIBLE_DEVICES", "-1"), ("ROCR_VISIBLE_DEVICES", "-1")];
    if again("bk_005_without_a_device_all_calls_of_rocm_say_so", &variables).is_some() {
        return;
    }
    let device = RocmDevice::default();
    let error = device.open().unwrap_err();
    let text = error.to_string();
    match &error {
        RocmError::NoLibrary { .. } => assert_eq!(
            text,
            "Rocm(0): ROCm is not there: its libraries (libamdhip64 and libhiprtc) cannot be loaded from ROCM_PATH, \
             HIP_PATH or where the system looks"
        ),
        RocmError::NoDevice { .. } => assert_eq!(text, "Rocm(0): there is no such device, ROCm offers 0"),
        other => panic!("{other:?}"),
    }
    assert_eq!(device.memory_usage().unwrap_err(), error);
    assert_eq!(device.memory_cleanup().unwrap_err(), error);
    let made = || drop(Rocm::<f32, i32>::from_data(TensorData::new([1.0_f32], [1]), &device));
    let panic = std::panic::catch_unwind(made).unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*panic, text);
}
