use crate::FusionTensor;
use crate::queue::Queue;
use crate::tensor::{enqueue, enqueue_custom, run_block};
use burn_backend::dynamic::{BackendObject, DynamicDevice, DynamicTensor, object_of};
use burn_backend::interpreter::Interpreter;
use burn_backend::*;
use std::marker::PhantomData;

/// Fusion: a decorator that makes a backend lazy, and fuses elementwise calls and row reductions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fusion<B>(PhantomData<B>);

impl<B: FusionBackend> Fusion<B> {
    /// Queues an operation that only the user knows: `run` gets the inner tensors when its turn comes.
    pub fn custom(
        inputs: Vec<FusionTensor>,
        outputs: Outputs<TensorSpec>,
        run: impl FnOnce(Vec<B::Tensor>) -> Outputs<B::Tensor> + Send + 'static,
    ) -> Outputs<FusionTensor> {
        enqueue_custom(inputs, outputs, |inputs| {
            run(inputs.into_iter().map(DynamicTensor::into_inner::<B>).collect()).map(DynamicTensor::new::<B>)
        })
    }

    fn ready(value: B::Tensor) -> FusionTensor {
        FusionTensor::ready(B::fusion_object(), DynamicTensor::new::<B>(value))
    }

    fn resolve(x: FusionTensor) -> B::Tensor {
        x.resolve().into_inner::<B>()
    }
}

impl<B: FusionBackend> Interpreter for Fusion<B> {
    type Device = B::Device;
    type Tensor = FusionTensor;
    type FloatElem = B::FloatElem;
    type IntElem = B::IntElem;

    fn interpret(op: Operation<FusionTensor>) -> Outputs<FusionTensor> {
        let fusible = |composite| !B::has_kernel(composite);
        if !op.composite().is_some_and(fusible) {
            return enqueue(op);
        }
        match reference::decompose::<Self>(op) {
            Ok(result) => result,
            Err(primitive) => enqueue(primitive),
        }
    }

    fn run_block(block: Block<FusionTensor>) -> Vec<FusionTensor> {
        run_block(block)
    }
    fn create(creation: Creation, device: &B::Device) -> FusionTensor {
        Self::ready(create::<B>(creation, device))
    }
    async fn argwhere(mask: FusionTensor, index: DType) -> Result<FusionTensor, DataError> {
        B::argwhere(Self::resolve(mask), index).await.map(Self::ready)
    }
    fn read(x: FusionTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::into_data(Self::resolve(x))
    }
    fn device(x: &FusionTensor) -> B::Device {
        x.queue.device.inner::<B>().clone()
    }
    fn to_device(x: FusionTensor, device: &B::Device) -> FusionTensor {
        Self::ready(B::to_device(Self::resolve(x), device))
    }
    fn sync(device: &B::Device) {
        Queue::current(B::fusion_object(), &DynamicDevice::new::<B>(device.clone())).flush();
        B::sync(device);
    }
    fn seed(seed: u64) {
        B::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    // Only backends that track no gradients can fuse.
    fn tracks_gradients(_device: &B::Device) -> bool {
        false
    }
    fn set_require_grad(x: FusionTensor, _require_grad: bool) -> FusionTensor {
        x
    }
    fn is_require_grad(_x: &FusionTensor) -> bool {
        false
    }
    fn detach(x: FusionTensor) -> FusionTensor {
        x
    }
    fn checkpoint(segment: Segment<FusionTensor>, inputs: Vec<FusionTensor>) -> Vec<FusionTensor> {
        segment(inputs)
    }
    fn name(device: &B::Device) -> String {
        format!("fusion<{}>", B::name(device))
    }
    fn has_dtype(device: &B::Device, dtype: DType) -> bool {
        B::has_dtype(device, dtype)
    }
}
