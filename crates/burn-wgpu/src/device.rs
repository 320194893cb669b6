use cubecl::device::{Device, DeviceId};
use cubecl::wgpu as cube;
use std::fmt;

/// Device of [`Wgpu`](crate::Wgpu) tensors. Numbers count the adapters of a kind, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WgpuDevice {
    /// Discrete GPU.
    DiscreteGpu(usize),
    /// A part of the processor.
    IntegratedGpu(usize),
    /// GPU of a virtual machine.
    VirtualGpu(usize),
    /// The processor, through a driver that is software.
    Cpu,
    /// Whichever the system calls the fastest.
    #[default]
    BestAvailable,
}

#[allow(non_upper_case_globals, reason = "the name of a variant")]
impl WgpuDevice {
    /// Another name of [`WgpuDevice::BestAvailable`].
    pub const DefaultDevice: WgpuDevice = WgpuDevice::BestAvailable;
}

impl fmt::Display for WgpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Error of opening or using a device.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceError {
    /// The adapter does not exist; lists those that were found.
    NoAdapter { device: WgpuDevice, found: Vec<String> },
    /// The device was there, and failed: it may be lost.
    Failed { device: WgpuDevice, cause: String },
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::NoAdapter { device, found } if found.is_empty() => {
                let why = if cfg!(target_family = "wasm") {
                    "the browser offers no adapter for WebGPU"
                } else {
                    "no graphics driver offers an adapter (on Linux, install a Vulkan driver)"
                };
                write!(f, "{device}: {why}")
            }
            DeviceError::NoAdapter { device, found } => {
                write!(f, "{device}: there is no such adapter, only {}", found.join(", "))
            }
            DeviceError::Failed { device, cause } => write!(f, "{device}: {cause}"),
        }
    }
}

burn_backend::debug_as_display!(DeviceError);

impl std::error::Error for DeviceError {}

impl WgpuDevice {
    pub(crate) fn to_cube(self) -> cube::WgpuDevice {
        match self {
            WgpuDevice::DiscreteGpu(at) => cube::WgpuDevice::DiscreteGpu(at),
            WgpuDevice::IntegratedGpu(at) => cube::WgpuDevice::IntegratedGpu(at),
            WgpuDevice::VirtualGpu(at) => cube::WgpuDevice::VirtualGpu(at),
            WgpuDevice::Cpu => cube::WgpuDevice::Cpu,
            WgpuDevice::BestAvailable => cube::WgpuDevice::DefaultDevice,
        }
    }
}

/// The ids are those that `cubecl` has for its devices.
impl Device for WgpuDevice {
    fn from_id(id: DeviceId) -> Self {
        let number = usize::from(id.index_id);
        match id.type_id {
            0 => WgpuDevice::DiscreteGpu(number),
            1 => WgpuDevice::IntegratedGpu(number),
            2 => WgpuDevice::VirtualGpu(number),
            3 => WgpuDevice::Cpu,
            _ => WgpuDevice::BestAvailable,
        }
    }

    fn to_id(&self) -> DeviceId {
        self.to_cube().to_id()
    }
}

#[cfg(test)]
mod tests {
    use super::WgpuDevice;
    #[cfg(not(target_os = "macos"))]
    use crate::Vulkan;
    use crate::{Metal, WebGpu, Wgpu};
    use burn_backend::{Backend, BinaryOp, TensorData, block_on};

    /// Squares on the default device, which must be there.
    fn squares<B: Backend<Device = WgpuDevice>>() -> TensorData {
        let device = WgpuDevice::default();
        device.open().unwrap_or_else(|error| panic!("this test needs a device: {error}"));
        let x = B::from_data(TensorData::from([1.0_f32, 2.0, 3.0]), &device);
        let square = B::binary(BinaryOp::Mul, x.clone(), x);
        block_on(B::into_data(square)).expect("no wait").expect("data")
    }

    /// The API that has run the default device.
    fn api() -> wgpu::Backend {
        WgpuDevice::default().raw().expect("the device is there").adapter_info().backend
    }

    #[test]
    fn bk_002_devices_of_wgpu_and_how_they_are_printed() {
        fn device<B: Backend>() -> B::Device {
            B::Device::default()
        }
        let default = device::<Wgpu<f32, i32>>();
        assert_eq!(default, WgpuDevice::BestAvailable);
        assert_eq!(default, WgpuDevice::DefaultDevice);
        assert_eq!(default.to_string(), "BestAvailable");
        let others = [
            WgpuDevice::DiscreteGpu(0),
            WgpuDevice::IntegratedGpu(1),
            WgpuDevice::VirtualGpu(2),
            WgpuDevice::Cpu,
        ];
        assert_eq!(
            others.map(|device| device.to_string()),
            ["DiscreteGpu(0)", "IntegratedGpu(1)", "VirtualGpu(2)", "Cpu"]
        );
    }

    #[test]
    fn open_async_gives_what_open_gives() {
        for device in [WgpuDevice::default(), WgpuDevice::DiscreteGpu(99)] {
            assert_eq!(block_on(device.open_async()), Ok(device.open()));
        }
        assert!(WgpuDevice::DiscreteGpu(99).open().is_err());
    }

    /// Runs wgpu's API of the system: Metal on macOS, WebGPU in browsers, Vulkan elsewhere.
    #[test]
    fn bk_003_the_graphics_api_of_the_system_runs_wgpu() {
        assert_eq!(squares::<Wgpu<f32, i32>>(), TensorData::from([1.0_f32, 4.0, 9.0]));
        assert_eq!(squares::<WebGpu<f32, i32>>(), TensorData::from([1.0_f32, 4.0, 9.0]));
        let expected = if cfg!(target_os = "macos") { wgpu::Backend::Metal } else { wgpu::Backend::Vulkan };
        assert_eq!(api(), expected);
        assert!(wgpu::Instance::enabled_backend_features().contains(expected.into()));
    }

    #[cfg(target_os = "macos")]
    #[test]
    fn bk_006_metal_runs_on_metal() {
        assert_eq!(squares::<Metal<f32, i32>>(), TensorData::from([1.0_f32, 4.0, 9.0]));
        assert_eq!(api(), wgpu::Backend::Metal);
    }

    /// On a machine without Metal, the name stands for the API that there is.
    #[cfg(not(target_os = "macos"))]
    #[test]
    fn bk_006_metal_is_a_name_of_wgpu() {
        fn is_wgpu<B: Backend<Tensor = <Wgpu as Backend>::Tensor, Device = WgpuDevice>>() {}
        is_wgpu::<Metal<f32, i32>>();
        assert_eq!(squares::<Metal<f32, i32>>(), TensorData::from([1.0_f32, 4.0, 9.0]));
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn bk_007_vulkan_runs_on_vulkan() {
        assert_eq!(squares::<Vulkan<f32, i32>>(), TensorData::from([1.0_f32, 4.0, 9.0]));
        assert_eq!(api(), wgpu::Backend::Vulkan);
    }
}
