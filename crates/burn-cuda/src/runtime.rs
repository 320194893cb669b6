use crate::driver::Context;
use crate::library::Libraries;
use crate::{CudaDevice, CudaRuntime, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Engines, Gpu};
use cubecl::prelude::Runtime;

/// The devices that were used so far.
static ENGINES: Engines<CudaDevice> = Engines::new();

impl CubeRuntime for CudaRuntime {
    fn engine(device: &CudaDevice) -> &'static dyn Engine {
        engine(*device)
    }

    fn device(engine: &'static dyn Engine) -> CudaDevice {
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
pub fn engine(device: CudaDevice) -> &'static dyn Engine {
    ENGINES.get(device, || {
        let context = Context::open(device).unwrap_or_else(|error| panic!("{error}"));
        let libraries = Libraries::new(device, |device, bytes| CudaRuntime::client(&device).empty(bytes));
        let engine = Gpu::<CudaRuntime>::new(device.to_string(), &context.name(), device);
        Box::new(engine.with_library(libraries))
    })
}
