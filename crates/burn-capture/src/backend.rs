use crate::Step;
use crate::tape::{self, Id};
use burn_backend::dynamic::{BackendObject, DynamicTensor, object_of};
use burn_backend::*;
use std::marker::PhantomData;

/// Decorator that records the calls of a thread while it has a [`Recording`](crate::Recording), and passes
/// them on otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<B>(PhantomData<B>);

/// Tensor of the backend below, with its identifier in recordings.
#[derive(Clone, Debug)]
pub struct CaptureTensor<B: Backend> {
    pub primitive: B::Tensor,
    pub(crate) id: Id,
}

impl<B: Backend> CaptureTensor<B> {
    pub fn new(primitive: B::Tensor) -> Self {
        CaptureTensor { primitive, id: tape::fresh() }
    }

    /// Returns the tensor as a constant of a recording.
    pub(crate) fn constant(&self) -> DynamicTensor {
        DynamicTensor::new::<B>(self.primitive.clone())
    }

    /// Records the creation of this tensor, without operands.
    fn made(self, step: impl FnOnce() -> Step<Id>) -> Self {
        if tape::is_recording() {
            tape::write(step(), vec![self.id]);
        }
        self
    }
}

impl<B: Backend> HasSpec for CaptureTensor<B> {
    fn spec(&self) -> &TensorSpec {
        self.primitive.spec()
    }
}

impl<B: Backend> Backend for Capture<B> {
    type Device = B::Device;
    type Tensor = CaptureTensor<B>;
    type FloatElem = B::FloatElem;
    type IntElem = B::IntElem;

    fn execute(op: Operation<CaptureTensor<B>>) -> Outputs<CaptureTensor<B>> {
        let step = tape::is_recording().then(|| tape::numbered(&op, |x| x.id, CaptureTensor::constant));
        let outputs = B::execute(op.map(|x| x.primitive)).map(CaptureTensor::new);
        if let Some(step) = step {
            let mut ids = Vec::with_capacity(2);
            outputs.visit(|x: &CaptureTensor<B>| ids.push(x.id));
            tape::write(step, ids);
        }
        outputs
    }
    fn run_block(block: Block<CaptureTensor<B>>) -> Vec<CaptureTensor<B>> {
        if tape::is_recording() {
            return reference::run_block::<Self>(block);
        }
        B::run_block(block.map_inputs(|x| x.primitive)).into_iter().map(CaptureTensor::new).collect()
    }
    fn create(creation: Creation, device: &B::Device) -> CaptureTensor<B> {
        if !tape::is_recording() {
            return CaptureTensor::new(B::create(creation, device));
        }
        CaptureTensor::new(B::create(creation.clone(), device)).made(|| Step::Create(creation))
    }
    async fn argwhere(mask: CaptureTensor<B>, index: DType) -> Result<CaptureTensor<B>, DataError> {
        if tape::is_recording() {
            tape::meet(mask.id, || mask.constant());
        }
        let found = CaptureTensor::<B>::new(B::argwhere(mask.primitive, index).await?);
        let count = found.spec().shape[0];
        Ok(found.made(|| Step::ArgWhere { mask: mask.id, index, found: count }))
    }
    fn into_data(x: CaptureTensor<B>) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        B::into_data(x.primitive)
    }
    fn device(x: &CaptureTensor<B>) -> B::Device {
        B::device(&x.primitive)
    }
    // A program knows no device: the same value.
    fn to_device(x: CaptureTensor<B>, device: &B::Device) -> CaptureTensor<B> {
        CaptureTensor { primitive: B::to_device(x.primitive, device), id: x.id }
    }
    fn sync(device: &B::Device) {
        B::sync(device);
    }
    fn seed(seed: u64) {
        B::seed(seed);
    }
    fn object() -> &'static dyn BackendObject {
        object_of::<Self>()
    }
    fn launch_graphs(_device: &B::Device) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(device: &B::Device) -> bool {
        B::tracks_gradients(device)
    }
    fn set_require_grad(x: CaptureTensor<B>, require_grad: bool) -> CaptureTensor<B> {
        CaptureTensor { primitive: B::set_require_grad(x.primitive, require_grad), id: x.id }
    }
    fn is_require_grad(x: &CaptureTensor<B>) -> bool {
        B::is_require_grad(&x.primitive)
    }
    fn detach(x: CaptureTensor<B>) -> CaptureTensor<B> {
        CaptureTensor { primitive: B::detach(x.primitive), id: x.id }
    }
    // The segment makes its calls here, so that they are written down: what tracks below keeps its values.
    fn checkpoint(
        segment: Segment<CaptureTensor<B>>,
        inputs: Vec<CaptureTensor<B>>,
    ) -> Vec<CaptureTensor<B>> {
        segment(inputs)
    }
    fn linear_map(map: LinearMapRef, x: CaptureTensor<B>) -> Result<CaptureTensor<B>, LinearMapError> {
        if tape::is_recording() {
            return Err(format!(
                "capture: {map:?} is no operation that a program can hold; call it outside of the recording"
            )
            .into());
        }
        B::linear_map(map, x.primitive).map(CaptureTensor::new)
    }
    fn name(device: &B::Device) -> String {
        format!("capture<{}>", B::name(device))
    }
    fn has_dtype(device: &B::Device, dtype: DType) -> bool {
        B::has_dtype(device, dtype)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<B: FusionBackend> FusionBackend for Capture<B> {
    fn has_kernel(composite: Composite) -> bool {
        B::has_kernel(composite)
    }
    fn takes_head(kind: HeadKind) -> bool {
        B::takes_head(kind)
    }
    fn folds(dtype: DType, rows: usize, terms: usize) -> bool {
        B::folds(dtype, rows, terms)
    }
    fn has_products(lhs: &TensorSpec) -> bool {
        B::has_products(lhs)
    }
    fn products(lhs: &CaptureTensor<B>, rhs: &[CaptureTensor<B>]) -> Option<Vec<CaptureTensor<B>>> {
        // A recording holds each product by itself.
        if tape::is_recording() {
            return None;
        }
        let rhs: Vec<B::Tensor> = rhs.iter().map(|x| x.primitive.clone()).collect();
        let products = B::products(&lhs.primitive, &rhs)?;
        Some(products.into_iter().map(CaptureTensor::new).collect())
    }
    // A recording holds the rows by themselves.
    fn takes_rows(_rows: &TensorSpec) -> bool {
        false
    }
    fn products_of_rows(
        _rows: &BlockRows<CaptureTensor<B>>,
        _rhs: &[CaptureTensor<B>],
    ) -> Option<Vec<CaptureTensor<B>>> {
        None
    }
    fn fusion_object() -> &'static dyn FusionObject {
        fusion_object_of::<Self>()
    }
}
