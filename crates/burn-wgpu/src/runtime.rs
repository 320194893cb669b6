use crate::opened::opened;
use crate::{WgpuDevice, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Engines, Gpu};
use cubecl::device::DeviceId;
use cubecl::ir::TargetProperties;
use cubecl::prelude::{ComputeClient, Runtime};
use cubecl::server::ComputeServer;
use cubecl::wgpu as cube;
use cubecl::zspace::{Shape, Strides};

/// The graphics API of the system, as a runtime of kernels: that of `cubecl`, with devices of ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct WgpuRuntime;

type Server = <cube::WgpuRuntime as Runtime>::Server;

impl Runtime for WgpuRuntime {
    type Compiler = <cube::WgpuRuntime as Runtime>::Compiler;
    type Server = Server;
    type Device = WgpuDevice;

    fn client(device: &WgpuDevice) -> ComputeClient<Self> {
        ComputeClient::load(device)
    }

    fn name(_client: &ComputeClient<Self>) -> &'static str {
        "wgpu"
    }

    fn max_cube_count() -> (u32, u32, u32) {
        cube::WgpuRuntime::max_cube_count()
    }

    fn can_read_tensor(shape: &Shape, strides: &Strides) -> bool {
        cube::WgpuRuntime::can_read_tensor(shape, strides)
    }

    fn target_properties() -> TargetProperties {
        cube::WgpuRuntime::target_properties()
    }

    fn enumerate_devices(kind: u16, info: &<Server as ComputeServer>::Info) -> Vec<DeviceId> {
        cube::WgpuRuntime::enumerate_devices(kind, info)
    }
}

/// The devices that were used so far.
static ENGINES: Engines<WgpuDevice> = Engines::new();

impl CubeRuntime for WgpuRuntime {
    fn engine(device: &WgpuDevice) -> &'static dyn Engine {
        engine(*device)
    }

    fn device(engine: &'static dyn Engine) -> WgpuDevice {
        ENGINES.device(engine)
    }

    fn object() -> &'static dyn BackendObject {
        object::object()
    }

    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}

#[inline(never)]
pub fn engine(device: WgpuDevice) -> &'static dyn Engine {
    ENGINES.get(device, || {
        device.open().unwrap_or_else(|error| panic!("{error}"));
        let opened = opened(device).unwrap_or_else(|error| panic!("{error}"));
        let model = device.model();
        let adapter = model.as_ref().map_or_else(|| device.to_string(), |model| model.name.clone());
        let engine = Gpu::<WgpuRuntime>::new(format!("{device} ({adapter})"), &adapter, device);
        let engine = engine.with_measured_arithmetic();
        let is_software = model.is_some_and(|model| model.device_type == wgpu::DeviceType::Cpu);
        let engine = engine.with_guard(opened.faults);
        Box::new(if is_software { engine.in_software() } else { engine })
    })
}
