use crate::CandleDevice;
use burn_foreign::{DeviceError, ForeignDevice};

/// Error of a device, or of a tensor of candle that cannot become ours.
pub type CandleError = DeviceError<CandleDevice>;

impl ForeignDevice for CandleDevice {
    const LIBRARY: &'static str = "candle";
}
