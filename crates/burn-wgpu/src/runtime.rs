use crate::{WgpuDevice, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Engines, Gpu};
use cubecl::wgpu::WgpuRuntime;

/// The graphics API of the system, as a runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebGraphics;

/// The devices that were used so far.
static ENGINES: Engines<WgpuDevice> = Engines::new();

impl CubeRuntime for WebGraphics {
    type Device = WgpuDevice;

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
fn engine(device: WgpuDevice) -> &'static dyn Engine {
    ENGINES.get(device, || {
        device.open().unwrap_or_else(|error| panic!("{error}"));
        Box::new(Gpu::<WgpuRuntime>::new("wgpu".into(), device.to_cube()))
    })
}
