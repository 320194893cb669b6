use crate::CandleDevice;
use burn_library_backend::{DeviceError, LibraryDevice};

/// Error of a device, or of a tensor of candle that cannot become ours.
pub type CandleError = DeviceError<CandleDevice>;

impl LibraryDevice for CandleDevice {
    const LIBRARY: &'static str = "candle";
}
