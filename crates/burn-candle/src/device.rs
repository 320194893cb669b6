use crate::error_text::error_text;
use burn_library_backend::{DefaultDevice, DeviceError, LibraryDevice};
use candle_core::{Device, DeviceLocation};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where tensors of [`Candle`](crate::Candle) live. Numbers count the devices of a kind, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CandleDevice {
    /// The memory of the host.
    Cpu,
    /// A GPU of NVIDIA; needs the feature `cuda` of this crate, `candle-cuda` of `burn`.
    Cuda(usize),
    /// A GPU of Apple; needs the feature `metal` of this crate, `candle-metal` of `burn`.
    Metal(usize),
}

/// Error of a device, or of a tensor of candle that cannot become ours.
pub type CandleError = DeviceError<CandleDevice>;

impl LibraryDevice for CandleDevice {
    const LIBRARY: &'static str = "candle";
}

/// The device of [`CandleDevice::set_default`].
static DEFAULT: DefaultDevice<CandleDevice> = DefaultDevice::new(CandleDevice::Cpu);

/// The device of [`CandleDevice::set_default`]; the CPU before it was called.
impl Default for CandleDevice {
    fn default() -> Self {
        DEFAULT.get()
    }
}

impl fmt::Display for CandleDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Devices that were opened. Candle treats one that was opened twice as two devices.
static OPEN: OnceLock<Mutex<HashMap<CandleDevice, Device>>> = OnceLock::new();

impl CandleDevice {
    /// Makes this the default device of the process, for programs and tests that take `Default::default()`.
    ///
    /// ```
    /// use burn_candle::CandleDevice;
    /// CandleDevice::Cpu.set_default();
    /// assert_eq!(CandleDevice::default(), CandleDevice::Cpu);
    /// ```
    pub fn set_default(self) {
        DEFAULT.set(self);
    }

    /// Opens the device, if it is there. The first tensor on a device that is not fails with the same
    /// message.
    ///
    /// # Errors
    /// When there is no such device, or the program was built without it.
    pub fn open(self) -> Result<(), CandleError> {
        self.to_candle().map(drop)
    }

    /// Returns the device as candle has it, to make tensors of candle that need no copy to become ours.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn to_candle(self) -> Result<Device, CandleError> {
        let mut open = OPEN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = open.get(&self) {
            return Ok(device.clone());
        }
        let made = match self {
            CandleDevice::Cpu => Ok(Device::Cpu),
            CandleDevice::Cuda(_) if !cfg!(feature = "cuda") => return Err(self.not_built("cuda")),
            CandleDevice::Metal(_) if !cfg!(feature = "metal") => return Err(self.not_built("metal")),
            CandleDevice::Cuda(number) => cuda(number),
            CandleDevice::Metal(number) => Device::new_metal(number),
        };
        let made = made.map_err(|error| CandleError::NoDevice { device: self, cause: error_text(&error) })?;
        open.insert(self, made.clone());
        Ok(made)
    }

    fn not_built(self, feature: &'static str) -> CandleError {
        let cause = format!("the program was built without the feature {feature:?} of burn-candle");
        CandleError::NoDevice { device: self, cause }
    }

    /// The place of a device of candle.
    pub(crate) fn of(device: &Device) -> Self {
        match device.location() {
            DeviceLocation::Cpu => CandleDevice::Cpu,
            DeviceLocation::Cuda { gpu_id } => CandleDevice::Cuda(gpu_id),
            DeviceLocation::Metal { gpu_id } => CandleDevice::Metal(gpu_id),
        }
    }
}

/// Opens a GPU. Where the driver is not there, the binding panics while it looks for it.
fn cuda(number: usize) -> candle_core::Result<Device> {
    std::panic::catch_unwind(|| Device::new_cuda(number)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no driver");
        Err(candle_core::Error::Msg(text.lines().next().unwrap_or(text).into()))
    })
}
