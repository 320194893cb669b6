use crate::{WgpuDevice, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Gpu};
use cubecl::wgpu::WgpuRuntime;
use std::sync::Mutex;

/// The graphics API of the system, as a runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebGraphics;

/// The devices that were used so far.
static ENGINES: Mutex<Vec<(WgpuDevice, &'static dyn Engine)>> = Mutex::new(Vec::new());

impl CubeRuntime for WebGraphics {
    type Device = WgpuDevice;

    fn engine(device: &WgpuDevice) -> &'static dyn Engine {
        engine(*device)
    }

    fn device(engine: &'static dyn Engine) -> WgpuDevice {
        let engines = ENGINES.lock().expect("nobody panics while it is held");
        let found = engines.iter().find(|(_, known)| std::ptr::addr_eq(*known, engine));
        found.map(|(device, _)| *device).expect("engines are made here")
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
    let known = |engines: &[(WgpuDevice, &'static dyn Engine)]| {
        engines.iter().find(|(known, _)| *known == device).map(|(_, engine)| *engine)
    };
    if let Some(engine) = known(&ENGINES.lock().expect("nobody panics while it is held")) {
        return engine;
    }
    if let Err(error) = device.open() {
        panic!("{error}");
    }
    let new = Box::new(Gpu::<WgpuRuntime>::new("wgpu".into(), device.to_cube()));
    let mut engines = ENGINES.lock().expect("nobody panics while it is held");
    // Another thread may have been faster.
    known(&engines).unwrap_or_else(|| {
        let engine: &'static dyn Engine = Box::leak(new);
        engines.push((device, engine));
        engine
    })
}
