use crate::{RocmDevice, object};
use burn_backend::FusionObject;
use burn_backend::dynamic::BackendObject;
use burn_cubecl::{CubeRuntime, Engine, Engines, Faults, Gpu};
use cubecl::device::DeviceId;
use cubecl::hip::HipRuntime;
use cubecl::ir::TargetProperties;
use cubecl::prelude::{ComputeClient, Runtime};
use cubecl::server::ComputeServer;
use cubecl::zspace::{Shape, Strides};
use std::sync::Arc;

/// HIP, as a runtime of kernels: that of `cubecl`, with devices of ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocmRuntime;

type Server = <HipRuntime as Runtime>::Server;

impl Runtime for RocmRuntime {
    type Compiler = <HipRuntime as Runtime>::Compiler;
    type Server = Server;
    type Device = RocmDevice;

    fn client(device: &RocmDevice) -> ComputeClient<Self> {
        ComputeClient::load(device)
    }

    fn name(_client: &ComputeClient<Self>) -> &'static str {
        "rocm"
    }

    fn require_array_lengths() -> bool {
        HipRuntime::require_array_lengths()
    }

    fn max_cube_count() -> (u32, u32, u32) {
        HipRuntime::max_cube_count()
    }

    fn can_read_tensor(shape: &Shape, strides: &Strides) -> bool {
        HipRuntime::can_read_tensor(shape, strides)
    }

    fn target_properties() -> TargetProperties {
        HipRuntime::target_properties()
    }

    fn enumerate_devices(kind: u16, info: &<Server as ComputeServer>::Info) -> Vec<DeviceId> {
        HipRuntime::enumerate_devices(kind, info)
    }
}

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
        // Which of AMD's devices it is, HIP says in a structure that differs between its versions; kernels are chosen for any of them.
        let engine = Gpu::<RocmRuntime>::new(device.to_string(), "any", device).with_measured_arithmetic();
        Box::new(engine.with_guard(Arc::new(Faults::default())))
    })
}
