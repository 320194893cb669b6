use crate::open_device::opened;
use crate::runtime;
use burn_cubecl::{MemoryUsage, error_text};
use cubecl::device::{Device, DeviceId};
use cubecl::wgpu as cube;
use std::fmt;
use std::sync::OnceLock;

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
    /// Opens the device. The first tensor on a missing device panics with the same message.
    ///
    /// # Errors
    /// When no adapter of this kind and number exists, or its driver does not open it. In a browser, when
    /// [`open_async`](Self::open_async) has not opened it.
    pub fn open(self) -> Result<(), DeviceError> {
        #[cfg(not(target_family = "wasm"))]
        self.find()?;
        opened(self).map(|_| ())
    }

    /// Opens the device without blocking. In a browser, which opens devices in the background only, a program
    /// awaits this before the first tensor on the device; elsewhere it is [`open`](Self::open).
    ///
    /// ```no_run
    /// # async fn setup() -> Result<(), burn_wgpu::DeviceError> {
    /// use burn_wgpu::WgpuDevice;
    /// WgpuDevice::default().open_async().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_async(self) -> Result<(), DeviceError> {
        #[cfg(target_family = "wasm")]
        crate::browser::open(self).await?;
        self.open()
    }

    /// Returns the underlying wgpu device, to share it with rendering, or with kernels of another library.
    /// Destroying it makes later reads of its tensors errors. Validation errors of wgpu that no error scope
    /// catches are errors of the thread's next read, too.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when the program has made the device through `cubecl`.
    pub fn raw(self) -> Result<wgpu::Device, DeviceError> {
        self.open()?;
        opened(self)?.device.ok_or_else(|| DeviceError::Failed {
            device: self,
            cause: "it was made through cubecl, which does not hand it out".into(),
        })
    }

    #[cfg(not(target_family = "wasm"))]
    fn find(self) -> Result<(), DeviceError> {
        let infos = &adapters().all;
        let count = |kind| infos.iter().filter(|info| info.device_type == kind).count();
        let other = count(wgpu::DeviceType::Other);
        let is_there = match self {
            WgpuDevice::DiscreteGpu(at) => at < count(wgpu::DeviceType::DiscreteGpu).max(other),
            WgpuDevice::IntegratedGpu(at) => at < count(wgpu::DeviceType::IntegratedGpu).max(other),
            WgpuDevice::VirtualGpu(at) => at < count(wgpu::DeviceType::VirtualGpu).max(other),
            WgpuDevice::Cpu => 0 < count(wgpu::DeviceType::Cpu).max(other),
            WgpuDevice::BestAvailable => !infos.is_empty(),
        };
        if is_there {
            return Ok(());
        }
        let found = infos.iter().map(|info| format!("{} ({:?})", info.name, info.device_type)).collect();
        Err(DeviceError::NoAdapter { device: self, found })
    }

    /// Returns the memory of this device used by tensors of all threads and reserved for later ones. Calls
    /// queued by `Fusion` have allocated nothing yet: `Backend::sync` runs them.
    ///
    /// ```no_run
    /// # use burn_wgpu::WgpuDevice;
    /// let memory = WgpuDevice::default().memory_usage()?;
    /// println!("{} bytes in {} buffers, {} reserved", memory.used, memory.buffers, memory.reserved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the device does not exist, or is lost.
    pub fn memory_usage(self) -> Result<MemoryUsage, DeviceError> {
        self.open()?;
        let usage = runtime::engine(self).memory_usage();
        usage
            .map(MemoryUsage::from)
            .map_err(|error| DeviceError::Failed { device: self, cause: error_text(&error) })
    }

    /// Gives back to the system what is kept for later tensors.
    ///
    /// # Errors
    /// When the device is not there.
    pub fn memory_cleanup(self) -> Result<(), DeviceError> {
        self.open()?;
        runtime::engine(self).memory_cleanup();
        Ok(())
    }

    /// Returns the adapter of the device as the driver describes it.
    pub(crate) fn model(self) -> Option<wgpu::AdapterInfo> {
        let named = |kind, number: usize| {
            let of = |kind| adapters().all.iter().filter(move |info| info.device_type == kind).nth(number);
            of(kind).or_else(|| of(wgpu::DeviceType::Other))
        };
        let info = match self {
            WgpuDevice::DiscreteGpu(at) => named(wgpu::DeviceType::DiscreteGpu, at),
            WgpuDevice::IntegratedGpu(at) => named(wgpu::DeviceType::IntegratedGpu, at),
            WgpuDevice::VirtualGpu(at) => named(wgpu::DeviceType::VirtualGpu, at),
            WgpuDevice::Cpu => named(wgpu::DeviceType::Cpu, 0),
            WgpuDevice::BestAvailable => adapters().best.as_ref(),
        };
        info.cloned()
    }

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

/// Adapters that the drivers offer.
struct Adapters {
    all: Vec<wgpu::AdapterInfo>,
    /// The system's preferred adapter.
    best: Option<wgpu::AdapterInfo>,
}

static FOUND: OnceLock<Adapters> = OnceLock::new();

/// Returns the adapter that the browser gave; none before it is asked.
#[cfg(target_family = "wasm")]
fn adapters() -> &'static Adapters {
    const NONE: &Adapters = &Adapters { all: Vec::new(), best: None };
    FOUND.get().unwrap_or(NONE)
}

/// Keeps the adapter that the browser gave, the only one.
#[cfg(target_family = "wasm")]
pub(crate) fn set_adapter(info: wgpu::AdapterInfo) {
    // It is the same at each call.
    _ = FOUND.set(Adapters { all: vec![info.clone()], best: Some(info) });
}

/// Returns the adapters, enumerated once: drivers are slow to answer.
#[cfg(not(target_family = "wasm"))]
fn adapters() -> &'static Adapters {
    FOUND.get_or_init(|| {
        let backend = <cube::AutoGraphicsApi as cube::GraphicsApi>::backend();
        let descriptor = wgpu::InstanceDescriptor {
            backends: backend.into(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        };
        let instance = wgpu::Instance::new(descriptor);
        let all = cubecl::future::block_on(instance.enumerate_adapters(backend.into()));
        let fast = wgpu::PowerPreference::HighPerformance;
        let wanted = wgpu::RequestAdapterOptions { power_preference: fast, ..Default::default() };
        let best = cubecl::future::block_on(instance.request_adapter(&wanted));
        Adapters {
            all: all.iter().map(wgpu::Adapter::get_info).collect(),
            best: best.ok().map(|adapter| adapter.get_info()),
        }
    })
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
