use crate::device::engine::Engine;
use crate::execute::{Leaf, execute};
use crate::launch::tensor::CubeTensor;
use crate::ops::matmul::LeftFactor;
use crate::ops::softmax::are_few_and_long;
use crate::ops::{block, create, index, matmul, random};
use burn_backend::dynamic::{BackendObject, object_of};
use burn_backend::*;
use cubecl::prelude::Runtime;
use std::marker::PhantomData;

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
    fn into_data(x: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        create::into_data(x)
    }
    fn launch_graphs(device: &LeafDevice) -> Option<Box<dyn LaunchGraphs>> {
        device.0.library().and_then(|library| library.launch_graphs())
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
        block::run_block(block, reference::run_block::<Leaf>)
    }

    async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
        index::argwhere(mask, index).await
    }
}

/// A runtime of GPUs, and its devices.
pub trait CubeRuntime: Runtime<Device: DeviceHandle> + Default {
    /// The device's engine, made when it is first asked for.
    ///
    /// # Panics
    /// When there is no such device, or it cannot be opened: the message says which and why.
    fn engine(device: &Self::Device) -> &'static dyn Engine;

    /// The device of an engine that [`engine`](Self::engine) gave.
    fn device(engine: &'static dyn Engine) -> Self::Device;

    /// The backend of this runtime as an object. A function that is not generic makes it, so that the crate
    /// of the runtime compiles it and no program does.
    fn object() -> &'static dyn BackendObject;

    /// As [`object`](Self::object).
    fn fusion_object() -> &'static dyn FusionObject;
}

/// The backend of every GPU. `F` and `I` are the default element types; tensors may have others.
///
/// A thin shell: devices are those of the runtime, everything else is [`Leaf`]'s and compiled once.
#[derive(Clone, Copy, Debug, Default)]
pub struct CubeBackend<R, F = f32, I = i32>(PhantomData<(R, F, I)>);

impl<R: CubeRuntime, F: Element, I: Element> FusionBackend for CubeBackend<R, F, I> {
    fn has_kernel(_composite: Composite) -> bool {
        true
    }
    fn takes_head(kind: HeadKind) -> bool {
        kind == HeadKind::Product
    }
    /// Long rows are gone along once for each pass, and those of a few rows are better shared among cubes, as
    /// reductions do.
    fn folds(dtype: DType, rows: usize, terms: usize) -> bool {
        dtype.is_float() && terms > 1 && !are_few_and_long(rows, terms)
    }
    fn has_products(lhs: &TensorSpec) -> bool {
        matmul::has_few_rows(lhs)
    }
    fn products(lhs: &CubeTensor, rhs: &[CubeTensor]) -> Option<Vec<CubeTensor>> {
        matmul::products(LeftFactor::Matrix(lhs), rhs)
    }
    /// Rows of more cubes than one are better computed once.
    fn takes_rows(rows: &TensorSpec) -> bool {
        let rank = rows.shape.rank();
        matmul::has_few_rows(rows) && rows.shape[rank - 2] == 1
    }
    fn products_of_rows(rows: &BlockRows<CubeTensor>, rhs: &[CubeTensor]) -> Option<Vec<CubeTensor>> {
        block::products_of_row(&rows.clone().into(), rhs)
    }
    fn fusion_object() -> &'static dyn FusionObject {
        R::fusion_object()
    }
}

impl<R: CubeRuntime, F: Element, I: Element> Backend for CubeBackend<R, F, I> {
    type Device = R::Device;
    type Tensor = CubeTensor;
    type FloatElem = F;
    type IntElem = I;

    fn execute(op: Operation<CubeTensor>) -> Outputs<CubeTensor> {
        Leaf::execute(op)
    }
    fn object() -> &'static dyn BackendObject {
        R::object()
    }
    fn name(device: &Self::Device) -> String {
        Leaf::name(&LeafDevice(R::engine(device)))
    }
    fn has_dtype(device: &Self::Device, dtype: DType) -> bool {
        Leaf::has_dtype(&LeafDevice(R::engine(device)), dtype)
    }
    fn seed(seed: u64) {
        Leaf::seed(seed);
    }
    fn sync(device: &Self::Device) {
        Leaf::sync(&LeafDevice(R::engine(device)));
    }
    fn device(x: &CubeTensor) -> R::Device {
        R::device(x.engine())
    }
    fn to_device(x: CubeTensor, device: &Self::Device) -> CubeTensor {
        Leaf::to_device(x, &LeafDevice(R::engine(device)))
    }
    fn into_data(x: CubeTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Leaf::into_data(x)
    }
    fn launch_graphs(device: &R::Device) -> Option<Box<dyn LaunchGraphs>> {
        Leaf::launch_graphs(&LeafDevice(R::engine(device)))
    }
    fn tracks_gradients(_device: &R::Device) -> bool {
        false
    }
    fn set_require_grad(x: CubeTensor, require_grad: bool) -> CubeTensor {
        Leaf::set_require_grad(x, require_grad)
    }
    fn is_require_grad(x: &CubeTensor) -> bool {
        Leaf::is_require_grad(x)
    }
    fn detach(x: CubeTensor) -> CubeTensor {
        Leaf::detach(x)
    }
    fn checkpoint(segment: Segment<CubeTensor>, inputs: Vec<CubeTensor>) -> Vec<CubeTensor> {
        Leaf::checkpoint(segment, inputs)
    }
    fn linear_map(map: LinearMapRef, x: CubeTensor) -> Result<CubeTensor, LinearMapError> {
        apply_linear_map::<Self>(&map, x)
    }
    fn create(creation: Creation, device: &Self::Device) -> CubeTensor {
        Leaf::create(creation, &LeafDevice(R::engine(device)))
    }
    fn run_block(block: Block<CubeTensor>) -> Vec<CubeTensor> {
        Leaf::run_block(block)
    }
    async fn argwhere(mask: CubeTensor, index: DType) -> Result<CubeTensor, DataError> {
        Leaf::argwhere(mask, index).await
    }
}
