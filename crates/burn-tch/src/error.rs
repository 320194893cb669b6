use crate::LibTorchDevice;
use burn_foreign::{DeviceError, ForeignDevice};

/// Error of a device, or of a tensor of LibTorch that cannot become ours.
pub type TchError = DeviceError<LibTorchDevice>;

impl ForeignDevice for LibTorchDevice {
    const LIBRARY: &'static str = "LibTorch";
}
