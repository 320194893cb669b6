//! Whether there is a device to test on.

use burn_rocm::RocmDevice;

/// # Panics
/// When there is no device: a test that tests nothing must not pass.
pub fn require() {
    if let Err(error) = RocmDevice::default().open() {
        panic!("this test needs a device: {error}");
    }
}
