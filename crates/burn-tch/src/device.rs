use crate::settings;
use burn_library_backend::{DefaultDevice, DeviceError, LibraryDevice};
use std::fmt;
use tch::Device;

/// The version of LibTorch that this crate is built for.
pub const LIBTORCH_VERSION: &str = "2.11.0";

/// Device of the tensors of [`LibTorch`](crate::LibTorch). Numbers count the devices of a kind, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibTorchDevice {
    /// The memory of the host.
    Cpu,
    /// A GPU of NVIDIA, or of AMD where LibTorch was built for ROCm.
    Cuda(usize),
    /// The GPU of Apple's machines, through Metal.
    Mps,
    /// A GPU through Vulkan, for which LibTorch must be built by its user.
    Vulkan,
}

/// Error of a device, or of a tensor of LibTorch that cannot become ours.
pub type TchError = DeviceError<LibTorchDevice>;

impl LibraryDevice for LibTorchDevice {
    const LIBRARY: &'static str = "LibTorch";
}

/// The device of [`LibTorchDevice::set_default`].
static DEFAULT: DefaultDevice<LibTorchDevice> = DefaultDevice::new(LibTorchDevice::Cpu);

/// The device of [`LibTorchDevice::set_default`]; the CPU before it was called.
impl Default for LibTorchDevice {
    fn default() -> Self {
        DEFAULT.get()
    }
}

impl fmt::Display for LibTorchDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl LibTorchDevice {
    /// Makes this the default device of the process, for programs and tests that take `Default::default()`.
    ///
    /// ```
    /// use burn_tch::LibTorchDevice;
    /// LibTorchDevice::Cpu.set_default();
    /// assert_eq!(LibTorchDevice::default(), LibTorchDevice::Cpu);
    /// ```
    pub fn set_default(self) {
        DEFAULT.set(self);
    }

    /// Checks that the device is there. The first tensor on a device that is not fails with the same message.
    ///
    /// ```
    /// use burn_tch::LibTorchDevice;
    /// assert!(LibTorchDevice::Cpu.open().is_ok());
    /// assert!(LibTorchDevice::Cuda(97).open().is_err());
    /// ```
    ///
    /// # Errors
    /// When there is no such device, or LibTorch was built without it.
    pub fn open(self) -> Result<(), TchError> {
        self.to_tch().map(drop)
    }

    /// Returns the device as `tch` has it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn to_tch(self) -> Result<Device, TchError> {
        settings::set();
        match self {
            LibTorchDevice::Cpu => Ok(Device::Cpu),
            LibTorchDevice::Cuda(number) => {
                let count = usize::try_from(tch::Cuda::device_count()).unwrap_or(0);
                if number < count {
                    return Ok(Device::Cuda(number));
                }
                Err(self.missing(&format!("LibTorch {} sees {count} CUDA devices", LIBTORCH_VERSION)))
            }
            LibTorchDevice::Mps if tch::utils::has_mps() => Ok(Device::Mps),
            LibTorchDevice::Vulkan if tch::utils::has_vulkan() => Ok(Device::Vulkan),
            LibTorchDevice::Mps => {
                Err(self.missing("LibTorch was built without MPS, or runs on no such machine"))
            }
            LibTorchDevice::Vulkan => Err(self.missing("LibTorch was built without Vulkan")),
        }
    }

    fn missing(self, cause: &str) -> TchError {
        TchError::NoDevice { device: self, cause: cause.into() }
    }

    pub(crate) fn of(device: Device) -> Self {
        match device {
            Device::Cpu => LibTorchDevice::Cpu,
            Device::Cuda(number) => LibTorchDevice::Cuda(number),
            Device::Mps => LibTorchDevice::Mps,
            Device::Vulkan => LibTorchDevice::Vulkan,
        }
    }
}
