use crate::device::engine::Engine;
use crate::execute::execute;
use crate::launch::tensor::CubeTensor;
use crate::ops::block;
use crate::ops::create;
use crate::ops::index;
use crate::ops::random;
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;

/// The backend without its type parameters, which no kernel knows: what programs call is compiled here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaf;

/// A device of any runtime.
#[derive(Clone, Debug)]
pub struct LeafDevice(pub &'static dyn Engine);

impl PartialEq for LeafDevice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::addr_eq(self.0, other.0)
    }
}

impl Default for LeafDevice {
    /// # Panics
    /// Always: the devices of runtimes have defaults, and no other is made.
    fn default() -> Self {
        unreachable!("a device belongs to a runtime")
    }
}

impl Backend for Leaf {
    type Device = LeafDevice;
    type Tensor = CubeTensor;
    type FloatElem = f32;
    type IntElem = i32;

    fn execute(op: Operation<CubeTensor>) -> Outputs<CubeTensor> {
        execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Leaf>()
    }
    fn name(device: &LeafDevice) -> String {
        device.0.name().to_string()
    }
    fn has_dtype(device: &LeafDevice, dtype: DType) -> bool {
        device.0.has(dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &LeafDevice) {
        let engine = device.0;
        match block_on(engine.sync()) {
            Ok(Ok(())) => {}
            // `sync` returns no result to lose: the next read reports the error.
            Ok(Err(error)) => engine.faults().note_error(&error),
            Err(pending) => panic!("{}: {pending:?}", engine.name()),
        }
    }
    fn device(x: &CubeTensor) -> LeafDevice {
        LeafDevice(x.engine())
    }
    fn to_device(x: CubeTensor, device: &LeafDevice) -> CubeTensor {
        if LeafDevice(x.engine()) == *device {
            return x;
        }
        let data = block_on(create::into_data(x)).expect("this thread may wait");
        create::from_data(data.unwrap_or_else(|error| panic!("{error}")), device.0)
    }
    async fn into_data(x: CubeTensor) -> Result<TensorData, DataError> {
        create::into_data(x).await
    }
    fn tracks_gradients(_device: &LeafDevice) -> bool {
        false
    }
    fn set_require_grad(x: CubeTensor, _require_grad: bool) -> CubeTensor {
        x
    }
    fn is_require_grad(_x: &CubeTensor) -> bool {
        false
    }
    fn detach(x: CubeTensor) -> CubeTensor {
        x
    }
    fn checkpoint(segment: Segment<CubeTensor>, inputs: Vec<CubeTensor>) -> Vec<CubeTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: CubeTensor) -> Result<CubeTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn create(creation: Creation, device: &LeafDevice) -> CubeTensor {
        match creation {
            Creation::Data(data) => create::from_data(data, device.0),
            Creation::Full { spec, value } => create::full(spec, value, device.0),
            Creation::Range { spec, start, step } => create::range(spec, start, step, device.0),
            Creation::Random { spec, distribution } => random::random(spec, distribution, device.0),
        }
    }

    fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
        block::run_block(block)
    }

    async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
        index::argwhere(mask, index).await
    }
}
