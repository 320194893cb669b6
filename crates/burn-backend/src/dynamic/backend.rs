use super::object::DEFAULT;
use super::{BackendObject, DynamicDevice, DynamicTensor, object_of};
use crate::{Backend, Block, LaunchGraphs, LinearMapError, LinearMapRef, Segment, block_on};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::*;

/// Any backend, determined by the device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dynamic;

impl Backend for Dynamic {
    type Device = DynamicDevice;
    type Tensor = DynamicTensor;
    type FloatElem = f32;
    type IntElem = i64;

    fn execute(op: Operation<DynamicTensor>) -> Outputs<DynamicTensor> {
        op.first().backend.execute(op)
    }
    fn run_block(block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        let backend = block.operands().next().map(|first| first.backend);
        // A block computes from its operands.
        backend.map_or_else(Vec::new, |backend| backend.run_block(block))
    }
    fn create(creation: Creation, device: &DynamicDevice) -> DynamicTensor {
        device.backend.create(creation, device)
    }
    fn argwhere(
        mask: DynamicTensor,
        index: DType,
    ) -> impl Future<Output = Result<DynamicTensor, DataError>> + Send {
        mask.backend.argwhere(mask, index)
    }
    fn into_data(x: DynamicTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        x.backend.read(x)
    }
    fn device(x: &DynamicTensor) -> DynamicDevice {
        x.backend.device(x)
    }
    fn to_device(x: DynamicTensor, device: &DynamicDevice) -> DynamicTensor {
        if x.backend.id() == device.backend.id() {
            return x.backend.to_device(x, device);
        }
        let from = x.backend.name(&x.backend.device(&x));
        match block_on(x.backend.read(x)) {
            Ok(Ok(data)) => Self::create(Creation::Data(data), device),
            Ok(Err(error)) => panic!("to_device: the tensor cannot be read from {from}: {error}"),
            Err(_pending) => {
                panic!(
                    "to_device: this platform cannot wait for {from}; read with into_data_async, then from_data"
                )
            }
        }
    }
    fn sync(device: &DynamicDevice) {
        device.backend.sync(device);
    }
    fn launch_graphs(device: &DynamicDevice) -> Option<Box<dyn LaunchGraphs>> {
        device.backend.launch_graphs(device)
    }
    fn seed(seed: u64) {
        if let Some(device) = DEFAULT.get() {
            device.backend.seed(seed);
        }
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn tracks_gradients(device: &DynamicDevice) -> bool {
        device.backend.tracks_gradients(device)
    }
    fn set_require_grad(x: DynamicTensor, require_grad: bool) -> DynamicTensor {
        x.backend.set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &DynamicTensor) -> bool {
        x.backend.is_require_grad(x)
    }
    fn detach(x: DynamicTensor) -> DynamicTensor {
        x.backend.detach(x)
    }
    fn checkpoint(segment: Segment<DynamicTensor>, inputs: Vec<DynamicTensor>) -> Vec<DynamicTensor> {
        match inputs.first() {
            Some(first) => first.backend.checkpoint(segment, inputs),
            // No operand says which backend tracks.
            None => segment(inputs),
        }
    }
    fn linear_map(map: LinearMapRef, x: DynamicTensor) -> Result<DynamicTensor, LinearMapError> {
        x.backend.linear_map(map, x)
    }
    fn name(device: &DynamicDevice) -> String {
        device.backend.name(device)
    }
    fn has_dtype(device: &DynamicDevice, dtype: DType) -> bool {
        device.backend.has_dtype(device, dtype)
    }
}
