use crate::execute;
use crate::kernels::create;
#[cfg(feature = "fusion")]
use crate::kernels::fused;
use crate::kernels::index;
use crate::kernels::random;
use crate::object;
use crate::{NdArray, NdArrayDevice, NdTensor};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_backend::dynamic::BackendObject;
use burn_backend::*;

impl<F: Element, I: Element> Backend for NdArray<F, I> {
    type Device = NdArrayDevice;
    type Tensor = NdTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
        execute::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        object::object()
    }
    fn name(_device: &NdArrayDevice) -> String {
        "ndarray".into()
    }
    fn has_dtype(_device: &NdArrayDevice, _dtype: DType) -> bool {
        true
    }
    fn seed(seed: u64) {
        random::seed(seed);
    }
    fn sync(_device: &NdArrayDevice) {}
    fn device(_x: &NdTensor) -> NdArrayDevice {
        NdArrayDevice::Cpu
    }
    fn to_device(x: NdTensor, _device: &NdArrayDevice) -> NdTensor {
        x
    }
    async fn into_data(x: NdTensor) -> Result<TensorData, DataError> {
        create::into_data(x)
    }
    fn launch_graphs(_device: &NdArrayDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &NdArrayDevice) -> bool {
        false
    }
    fn set_require_grad(x: NdTensor, _require_grad: bool) -> NdTensor {
        x
    }
    fn is_require_grad(_x: &NdTensor) -> bool {
        false
    }
    fn detach(x: NdTensor) -> NdTensor {
        x
    }
    fn checkpoint(segment: Segment<NdTensor>, inputs: Vec<NdTensor>) -> Vec<NdTensor> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: NdTensor) -> Result<NdTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }

    async fn argwhere(mask: NdTensor, index: DType) -> Result<NdTensor, DataError> {
        Ok(index::argwhere(mask, index))
    }

    fn create(creation: Creation, _device: &NdArrayDevice) -> NdTensor {
        match creation {
            Creation::Data(data) => create::from_data(&data),
            Creation::Full { spec, value } => create::full(spec, value),
            Creation::Range { spec, start, step } => create::range(spec, start, step),
            Creation::Random { spec, distribution } => random::random(spec, distribution),
        }
    }

    fn run_block(block: Block<NdTensor>) -> Vec<NdTensor> {
        #[cfg(feature = "fusion")]
        {
            fused::run(block)
        }
        #[cfg(not(feature = "fusion"))]
        {
            reference::run_block::<Self>(block)
        }
    }
}

impl<F: Element, I: Element> FusionBackend for NdArray<F, I> {
    fn has_kernel(_composite: Composite) -> bool {
        true
    }
    fn takes_head(kind: HeadKind) -> bool {
        match kind {
            HeadKind::Product => true,
            HeadKind::Convolution => cfg!(feature = "convolution"),
        }
    }
    fn fusion_object() -> &'static dyn FusionObject {
        object::fusion_object()
    }
}
