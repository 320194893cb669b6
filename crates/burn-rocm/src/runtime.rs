use crate::{RocmDevice, RocmRuntime, object};
use burn_backend::dynamic::BackendObject;
use burn_backend::{FusionObject, block_on};
use burn_cubecl::{CubeRuntime, Engine, Engines, Faults, Gpu};
use std::sync::Arc;

/// The devices that were used so far.
static ENGINES: Engines<RocmDevice> = Engines::new();

impl CubeRuntime for RocmRuntime {
    fn engine(device: &RocmDevice) -> &'static dyn Engine {
        engine(*device)
    }

    fn device(engine: &'static dyn Engine) -> RocmDevice {
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
pub fn engine(device: RocmDevice) -> &'static dyn Engine {
    ENGINES.get(device, || {
        device.open().unwrap_or_else(|error| panic!("{error}"));
        // Which of AMD's devices it is, HIP says in a structure that differs between its versions; kernels
        // are chosen for any of them.
        let engine = Gpu::<RocmRuntime>::new(device.to_string(), "any", device);
        let engine = block_on(engine.with_measured_arithmetic()).expect("this thread may wait");
        Box::new(engine.with_guard(Arc::new(Faults::default())))
    })
}
