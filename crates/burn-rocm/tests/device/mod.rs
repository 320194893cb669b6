//! Whether there is a device to test on.

use burn_rocm::RocmDevice;

/// Says why nothing is tested, where there is no device. In CI there must be one: `BURN_REQUIRE_GPU` is set there.
pub fn is_missing() -> bool {
    match RocmDevice::default().open() {
        Ok(()) => false,
        Err(error) if std::env::var_os("BURN_REQUIRE_GPU").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("skipped: {error}");
            true
        }
    }
}
