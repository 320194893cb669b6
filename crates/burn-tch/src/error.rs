use crate::LibTorchDevice;
use burn_library_backend::{DeviceError, LibraryDevice};

/// Error of a device, or of a tensor of LibTorch that cannot become ours.
pub type TchError = DeviceError<LibTorchDevice>;

impl LibraryDevice for LibTorchDevice {
    const LIBRARY: &'static str = "LibTorch";
}
