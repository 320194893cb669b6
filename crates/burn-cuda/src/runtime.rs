use crate::library::Libraries;
use crate::{CudaDevice, CudaRuntime, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Gpu};

use cubecl::prelude::Runtime;
use std::sync::Mutex;

/// CUDA, as a runtime.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nvidia;

/// The devices that were used so far.
static ENGINES: Mutex<Vec<(CudaDevice, &'static dyn Engine)>> = Mutex::new(Vec::new());

impl CubeRuntime for Nvidia {
    type Device = CudaDevice;

    fn engine(device: &CudaDevice) -> &'static dyn Engine {
        engine(*device)
    }

    fn device(engine: &'static dyn Engine) -> CudaDevice {
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
fn engine(device: CudaDevice) -> &'static dyn Engine {
    let known = |engines: &[(CudaDevice, &'static dyn Engine)]| {
        engines.iter().find(|(known, _)| *known == device).map(|(_, engine)| *engine)
    };
    if let Some(engine) = known(&ENGINES.lock().expect("nobody panics while it is held")) {
        return engine;
    }
    device.open().unwrap_or_else(|error| panic!("{error}"));
    let libraries = Libraries::new(device, |device, bytes| CudaRuntime::client(&device).empty(bytes));
    let new = Box::new(Gpu::<CudaRuntime>::new(device.to_string(), device).with_library(libraries));
    let mut engines = ENGINES.lock().expect("nobody panics while it is held");
    // Another thread may have been faster.
    known(&engines).unwrap_or_else(|| {
        let engine: &'static dyn Engine = Box::leak(new);
        engines.push((device, engine));
        engine
    })
}
