use crate::leaf::{Candle, Leaf};
use crate::library::Core;
use crate::{CandleDevice, CandleTensor, create, execute, index, layout, object, random};
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use burn_library_backend::{Kernels, Library};

impl<F: Element, I: Element> Backend for Candle<F, I> {
    type Device = CandleDevice;
    type Tensor = CandleTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<CandleTensor>) -> Outputs<CandleTensor> {
        execute::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &CandleDevice) -> String {
        "candle".into()
    }
    fn has_dtype(device: &CandleDevice, dtype: DType) -> bool {
        Core::has_dtype(*device, dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &CandleDevice) {
        let done = device.to_candle().map(|place| place.synchronize());
        match done {
            Ok(Ok(())) => {}
            Ok(Err(error)) => Core::raise("sync", None, *device, &error),
            Err(error) => burn_library_backend::refuse("sync", error),
        }
    }
    fn device(x: &CandleTensor) -> CandleDevice {
        x.device()
    }
    fn to_device(x: CandleTensor, device: &CandleDevice) -> CandleTensor {
        layout::to_device(x, *device)
    }
    async fn into_data(x: CandleTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn launch_graphs(_device: &CandleDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &CandleDevice) -> bool {
        false
    }
    fn set_require_grad(x: CandleTensor, _require_grad: bool) -> CandleTensor {
        x
    }
    fn is_require_grad(_x: &CandleTensor) -> bool {
        false
    }
    fn detach(x: CandleTensor) -> CandleTensor {
        x
    }
    fn checkpoint(segment: Segment<CandleTensor>, inputs: Vec<CandleTensor>) -> Vec<CandleTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: CandleTensor) -> Result<CandleTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn create(creation: Creation, device: &CandleDevice) -> CandleTensor {
        match creation {
            Creation::Data(data) => create::from_data(&data, *device),
            Creation::Full { spec, value } => create::full(spec, value, *device),
            Creation::Range { spec, start, step } => create::range(spec, start, step, *device),
            Creation::Random { spec, distribution } => random::random(spec, distribution, *device),
        }
    }
    fn run_block(block: Block<CandleTensor>) -> Vec<CandleTensor> {
        kernels::ran(|| "composition run_block".into());
        reference::run_block::<Leaf>(block)
    }
    async fn argwhere(mask: CandleTensor, index: DType) -> Result<CandleTensor, DataError> {
        index::argwhere(mask, index)
    }
}

/// Blocks run call by call: candle has no kernel for several operations.
impl<F: Element, I: Element> FusionBackend for Candle<F, I> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
            Composite::Attention | Composite::AttentionGrad => false,
            Composite::QuantizedMatmul | Composite::IntegerMatmul | Composite::BlockMatmul => false,
            Composite::QuantizedAttention | Composite::CachedAttention => false,
            Composite::Recurrent | Composite::RecurrentGrad => false,
        }
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}
