use crate::leaf::{LibTorch, TchElement};
use crate::library::Torch;
use crate::{LibTorchDevice, TchTensor, block, create, execute, index, layout, object, random};
use burn_backend::dynamic::BackendObject;
use burn_backend::*;
use burn_library_backend::Library;

impl<E: TchElement> Backend for LibTorch<E> {
    type Device = LibTorchDevice;
    type Tensor = TchTensor;
    type FloatElem = E;
    type IntElem = i64;

    fn execute(op: Operation<TchTensor>) -> Outputs<TchTensor> {
        execute::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &LibTorchDevice) -> String {
        "libtorch".into()
    }
    fn has_dtype(device: &LibTorchDevice, dtype: DType) -> bool {
        Torch::has_dtype(*device, dtype)
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(device: &LibTorchDevice) {
        match device.to_tch() {
            Ok(tch::Device::Cuda(number)) => tch::Cuda::synchronize(number as i64),
            // Reads wait there; the processor computes at once.
            Ok(tch::Device::Cpu | tch::Device::Mps | tch::Device::Vulkan) => {}
            Err(error) => burn_library_backend::refuse("sync", error),
        }
    }
    fn device(x: &TchTensor) -> LibTorchDevice {
        x.device()
    }
    fn to_device(x: TchTensor, device: &LibTorchDevice) -> TchTensor {
        layout::to_device(x, *device)
    }
    async fn into_data(x: TchTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn launch_graphs(_device: &LibTorchDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &LibTorchDevice) -> bool {
        false
    }
    fn set_require_grad(x: TchTensor, _require_grad: bool) -> TchTensor {
        x
    }
    fn is_require_grad(_x: &TchTensor) -> bool {
        false
    }
    fn detach(x: TchTensor) -> TchTensor {
        x
    }
    fn checkpoint(segment: Segment<TchTensor>, inputs: Vec<TchTensor>) -> Vec<TchTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: TchTensor) -> Result<TchTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    fn create(creation: Creation, device: &LibTorchDevice) -> TchTensor {
        match creation {
            Creation::Data(data) => create::from_data(&data, *device),
            Creation::Full { spec, value } => create::full(spec, value, *device),
            Creation::Range { spec, start, step } => create::range(spec, start, step, *device),
            Creation::Random { spec, distribution } => random::random(spec, distribution, *device),
        }
    }
    async fn argwhere(mask: TchTensor, index: DType) -> Result<TchTensor, DataError> {
        index::argwhere(mask, index)
    }

    fn run_block(block: Block<TchTensor>) -> Vec<TchTensor> {
        block::run_block(block)
    }
}

/// Blocks run call by call, elementwise ones part by part: LibTorch has no kernel for several operations.
impl<E: TchElement> FusionBackend for LibTorch<E> {
    fn has_kernel(composite: Composite) -> bool {
        match composite {
            Composite::Softmax | Composite::LogSoftmax => true,
            Composite::LayerNorm | Composite::LayerNormGrad => true,
            Composite::Attention | Composite::AttentionGrad => true,
            Composite::QuantizedMatmul | Composite::IntegerMatmul | Composite::BlockMatmul => false,
            Composite::QuantizedAttention | Composite::CachedAttention => false,
            Composite::Recurrent | Composite::RecurrentGrad => false,
        }
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}
