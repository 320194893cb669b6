use crate::FusionTensor;
use crate::launch_graph::{Conversion, FusedLaunchGraphs};
use crate::queue::Queue;
use crate::tensor::{enqueue, enqueue_custom, enqueue_dynamic, run_block, run_block_dynamic};
use burn_backend::dynamic::{BackendObject, DynamicCalls, DynamicDevice, DynamicTensor, Of};
use burn_backend::*;
use std::any::Any;
use std::marker::PhantomData;

/// Fusion: a decorator that makes a backend lazy, and fuses elementwise calls and row reductions.
///
/// `Fusion<Fusion<B>>` is `Fusion<B>`: the same tensors in the same queue. So `Fusion<Wgpu>` names the fused
/// backend whether or not the feature `fusion` of `burn` has made `Wgpu` one already.
///
/// ```
/// use burn::backend::{Fusion, NdArray};
/// use burn::prelude::*;
/// use burn::tensor::TensorPrimitive;
///
/// let x = Tensor::<Fusion<Fusion<NdArray>>, 1>::from_data([1.0, 4.0], &Default::default());
/// let x = TensorPrimitive::Float(x.into_primitive().tensor());
/// let x = Tensor::<Fusion<NdArray>, 1>::from_primitive(x);
/// assert_eq!((x.sqrt() + 1).into_data(), TensorData::from([2.0_f32, 3.0]));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Fusion<B>(PhantomData<B>);

impl<B: FusionBackend> Fusion<B> {
    const OBJECT: &'static Of<Self> =
        &Of::with(DynamicCalls { execute: Self::execute_dynamic, run_block: Self::run_block_dynamic });

    /// Queues an operation that only the user knows: `run` gets the inner tensors when its turn comes.
    pub fn custom(
        inputs: Vec<FusionTensor>,
        outputs: Outputs<TensorSpec>,
        run: impl FnOnce(Vec<B::Tensor>) -> Outputs<B::Tensor> + Send + 'static,
    ) -> Outputs<FusionTensor> {
        if B::IS_FUSED {
            return run(inputs.into_iter().map(same).collect()).map(same);
        }
        enqueue_custom(inputs, outputs, |inputs| {
            run(inputs.into_iter().map(DynamicTensor::into_inner::<B>).collect()).map(DynamicTensor::new::<B>)
        })
    }

    fn execute_dynamic(op: Operation<DynamicTensor>) -> Outputs<DynamicTensor> {
        enqueue_dynamic(op, B::has_kernel, Self::object(), std::any::type_name::<Self>())
    }

    fn run_block_dynamic(block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        run_block_dynamic(block, Self::object(), std::any::type_name::<Self>())
    }

    fn ready(value: B::Tensor) -> FusionTensor {
        if B::IS_FUSED {
            return same(value);
        }
        FusionTensor::ready(B::fusion_object(), DynamicTensor::new::<B>(value))
    }

    fn resolve(x: FusionTensor) -> B::Tensor {
        if B::IS_FUSED {
            return same(x);
        }
        x.resolve().into_inner::<B>()
    }
}

/// Returns `value` as what it is: a tensor of the layer below, which is `Fusion` as well.
fn same<T: 'static, U: 'static>(value: T) -> U {
    let mut value = Some(value);
    let same = (&mut value as &mut dyn Any).downcast_mut::<Option<U>>();
    same.and_then(Option::take).expect("tensors of all layers of `Fusion` are of one type")
}

/// A decorator between two layers of `Fusion` makes the outer one a queue of its own.
#[deny(clippy::missing_trait_methods)]
impl<B: FusionBackend> FusionBackend for Fusion<B> {
    const IS_FUSED: bool = true;

    fn has_kernel(composite: Composite) -> bool {
        B::has_kernel(composite)
    }
    fn takes_head(kind: HeadKind) -> bool {
        B::takes_head(kind)
    }
    fn folds(dtype: DType, rows: usize, terms: usize) -> bool {
        B::folds(dtype, rows, terms)
    }
    // The queue of this layer finds them by itself.
    fn has_products(_lhs: &TensorSpec) -> bool {
        false
    }
    fn products(_lhs: &FusionTensor, _rhs: &[FusionTensor]) -> Option<Vec<FusionTensor>> {
        None
    }
    fn takes_rows(_rows: &TensorSpec) -> bool {
        false
    }
    fn products_of_rows(_rows: &BlockRows<FusionTensor>, _rhs: &[FusionTensor]) -> Option<Vec<FusionTensor>> {
        None
    }
    fn fusion_object() -> &'static dyn FusionObject {
        if B::IS_FUSED { B::fusion_object() } else { Self::OBJECT }
    }
}

impl<B: FusionBackend> Backend for Fusion<B> {
    type Device = B::Device;
    type Tensor = FusionTensor;
    type FloatElem = B::FloatElem;
    type IntElem = B::IntElem;

    fn execute(op: Operation<FusionTensor>) -> Outputs<FusionTensor> {
        match reference::decompose_normalization::<Self>(op, B::has_kernel) {
            Ok(results) => results,
            Err(op) => enqueue(op),
        }
    }

    fn run_block(block: Block<FusionTensor>) -> Vec<FusionTensor> {
        run_block(block)
    }
    fn create(creation: Creation, device: &B::Device) -> FusionTensor {
        Self::ready(B::create(creation, device))
    }
    async fn argwhere(mask: FusionTensor, index: DType) -> Result<FusionTensor, DataError> {
        B::argwhere(Self::resolve(mask), index).await.map(Self::ready)
    }
    fn into_data(x: FusionTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::into_data(Self::resolve(x))
    }
    fn device(x: &FusionTensor) -> B::Device {
        x.queue.device.inner::<B>().clone()
    }
    fn to_device(x: FusionTensor, device: &B::Device) -> FusionTensor {
        Self::ready(B::to_device(Self::resolve(x), device))
    }
    fn sync(device: &B::Device) {
        if B::IS_FUSED {
            return B::sync(device);
        }
        Queue::current(B::fusion_object(), &DynamicDevice::new::<B>(device.clone())).flush();
        B::sync(device);
    }
    fn launch_graphs(device: &B::Device) -> Option<Box<dyn LaunchGraphs>> {
        let inner = B::launch_graphs(device)?;
        if B::IS_FUSED {
            return Some(inner);
        }
        let queue = Queue::current(B::fusion_object(), &DynamicDevice::new::<B>(device.clone()));
        let conversion =
            Conversion { wrap: DynamicTensor::new::<Self>, unwrap: DynamicTensor::into_inner::<Self> };
        Some(Box::new(FusedLaunchGraphs { queue, inner, conversion }))
    }
    fn seed(seed: u64) {
        B::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        if B::IS_FUSED { B::object() } else { Self::OBJECT }
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
    fn linear_map(map: LinearMapRef, x: FusionTensor) -> Result<FusionTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }
    fn name(device: &B::Device) -> String {
        let name = B::name(device);
        if B::IS_FUSED { name } else { format!("fusion<{name}>") }
    }
    fn has_dtype(device: &B::Device, dtype: DType) -> bool {
        B::has_dtype(device, dtype)
    }
}
