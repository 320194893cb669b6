//! Adapters of the system, and which of them a device is.

#[cfg(not(target_family = "wasm"))]
use crate::DeviceError;
use crate::WgpuDevice;
#[cfg(not(target_family = "wasm"))]
use cubecl::wgpu as cube;
use std::sync::OnceLock;

impl WgpuDevice {
    /// Checks that there is such an adapter.
    ///
    /// # Errors
    /// When there is none; it names those that there are.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn find(self) -> Result<(), DeviceError> {
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
