//! Backends as objects: one concrete type for all of them.
//!
//! Code written against [`Dynamic`] is compiled once, in its own crate, instead of once per program: the
//! gradient rules and the tape of autodiff, the queue and the planner of fusion. Backends selected at run
//! time use it too.

use crate::{Backend, Block, LinearMapError, LinearMapRef, Segment, TensorHandle, block_on};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::sync::Arc;
use burn_ir::*;
use core::any::{Any, TypeId};
use core::fmt::Debug;
use core::marker::PhantomData;
use core::pin::Pin;
use spin::Once;

/// Any backend, determined by the device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dynamic;

pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A backend as an object, over tensors of any type.
pub trait BackendObject: Debug + Send + Sync {
    /// Returns an identifier that is equal for two objects of the same backend.
    fn id(&self) -> TypeId;
    fn execute(&'static self, op: Operation<DynamicTensor>) -> Outputs<DynamicTensor>;
    fn run_block(&'static self, block: Block<DynamicTensor>) -> Vec<DynamicTensor>;
    fn create(&'static self, creation: Creation, device: &DynamicDevice) -> DynamicTensor;
    fn argwhere(
        &'static self,
        mask: DynamicTensor,
        index: DType,
    ) -> BoxFuture<Result<DynamicTensor, DataError>>;
    fn read(&'static self, x: DynamicTensor) -> BoxFuture<Result<TensorData, DataError>>;
    fn device(&'static self, x: &DynamicTensor) -> DynamicDevice;
    fn to_device(&'static self, x: DynamicTensor, device: &DynamicDevice) -> DynamicTensor;
    fn sync(&'static self, device: &DynamicDevice);
    fn seed(&'static self, seed: u64);
    fn name(&'static self, device: &DynamicDevice) -> String;
    fn has_dtype(&'static self, device: &DynamicDevice, dtype: DType) -> bool;
    fn tracks_gradients(&'static self, device: &DynamicDevice) -> bool;
    fn set_require_grad(&'static self, x: DynamicTensor, require_grad: bool) -> DynamicTensor;
    fn is_require_grad(&'static self, x: &DynamicTensor) -> bool;
    fn detach(&'static self, x: DynamicTensor) -> DynamicTensor;
    fn checkpoint(
        &'static self,
        segment: Segment<DynamicTensor>,
        inputs: Vec<DynamicTensor>,
    ) -> Vec<DynamicTensor>;
    /// See [`Backend::linear_map`].
    ///
    /// # Errors
    /// Those of the map.
    fn linear_map(
        &'static self,
        map: LinearMapRef,
        x: DynamicTensor,
    ) -> Result<DynamicTensor, LinearMapError>;
    fn same_device(&'static self, lhs: &DynamicDevice, rhs: &DynamicDevice) -> bool;
}

/// A device of some backend.
#[derive(Clone, Debug)]
pub struct DynamicDevice {
    backend: &'static dyn BackendObject,
    device: Arc<dyn AnyDevice>,
}

trait AnyDevice: Any + Debug + Send + Sync {}
impl<T: Any + Debug + Send + Sync> AnyDevice for T {}

static DEFAULT: Once<DynamicDevice> = Once::new();

impl DynamicDevice {
    /// Wraps a device of `B`; a dynamic device is returned as it is.
    pub fn new<B: Backend>(device: B::Device) -> Self {
        if let Some(device) = (&device as &dyn Any).downcast_ref::<DynamicDevice>() {
            return device.clone();
        }
        DynamicDevice { backend: B::object(), device: arc_dyn!(device as dyn AnyDevice) }
    }

    /// Sets the device that `DynamicDevice::default()` returns from now on; the first call wins.
    pub fn set_default(self) {
        DEFAULT.call_once(|| self);
    }

    /// Returns the inner device as a device of `B`.
    ///
    /// # Panics
    /// When it is a device of another backend.
    pub fn inner<B: Backend>(&self) -> &B::Device {
        if let Some(device) = (self as &dyn Any).downcast_ref() {
            return device;
        }
        let device: &dyn Any = &*self.device;
        match device.downcast_ref() {
            Some(device) => device,
            None => foreign::<B>(&self.backend.name(self)),
        }
    }

    /// Returns this device as one of the backend of `x`, if both have devices of one type: a decorator, such
    /// as autodiff, shares its devices with the backend inside of it.
    #[must_use]
    pub fn for_tensor(&self, x: &DynamicTensor) -> Self {
        let own = x.backend.device(x);
        let (here, there): (&dyn Any, &dyn Any) = (&*own.device, &*self.device);
        if here.type_id() != there.type_id() {
            return self.clone();
        }
        DynamicDevice { backend: own.backend, device: self.device.clone() }
    }

    /// Returns the backend as an object.
    pub fn backend(&self) -> &'static dyn BackendObject {
        self.backend
    }

    /// Returns the inner device for printing, as its own backend formats it.
    pub fn device(&self) -> &dyn Debug {
        &self.device
    }
}

/// Panics about a device or tensor of another backend.
#[cold]
#[inline(never)]
fn foreign<B: Backend>(found: &str) -> ! {
    let (own, device) = (core::any::type_name::<B>(), "move one of the operands with to_device");
    panic!("a tensor or a device of {found} was given to {own}: {device}");
}

impl Default for DynamicDevice {
    /// # Panics
    /// When no default was set.
    fn default() -> Self {
        match DEFAULT.get() {
            Some(device) => device.clone(),
            None => {
                panic!("there is no default device of any backend: call DynamicDevice::set_default first")
            }
        }
    }
}

impl PartialEq for DynamicDevice {
    fn eq(&self, other: &Self) -> bool {
        // Two backends may share a type of device.
        self.backend.id() == other.backend.id() && self.backend.same_device(self, other)
    }
}

/// A tensor of some backend. A clone shares the handle; the last owner moves the tensor out.
#[derive(Clone, Debug)]
pub struct DynamicTensor {
    backend: &'static dyn BackendObject,
    tensor: Arc<dyn AnyTensor>,
}

trait AnyTensor: Any + HasSpec + Debug + Send + Sync {}
impl<T: TensorHandle> AnyTensor for T {}

impl HasSpec for DynamicTensor {
    fn spec(&self) -> &TensorSpec {
        self.tensor.spec()
    }
}

impl DynamicTensor {
    /// Wraps a tensor of `B`; a dynamic tensor is returned as it is.
    pub fn new<B: Backend>(tensor: B::Tensor) -> Self {
        if let Some(tensor) = (&tensor as &dyn Any).downcast_ref::<DynamicTensor>() {
            return tensor.clone();
        }
        DynamicTensor { backend: B::object(), tensor: arc_dyn!(tensor as dyn AnyTensor) }
    }

    /// Returns the inner tensor of `B`; moved out if this is the last handle.
    ///
    /// # Panics
    /// When it is a tensor of another backend.
    pub fn into_inner<B: Backend>(self) -> B::Tensor {
        if let Some(tensor) = (&self as &dyn Any).downcast_ref::<B::Tensor>() {
            return tensor.clone();
        }
        if self.downcast_ref::<B::Tensor>().is_none() {
            foreign::<B>(&self.backend.name(&self.backend.device(&self)));
        }
        #[cfg(target_has_atomic = "ptr")]
        {
            let tensor: Arc<dyn Any + Send + Sync> = self.tensor;
            Arc::unwrap_or_clone(tensor.downcast().expect("the type was compared"))
        }
        // Only `alloc`'s `Arc` becomes one of another trait.
        #[cfg(not(target_has_atomic = "ptr"))]
        self.own::<B>().clone()
    }

    /// Returns the backend as an object.
    pub fn backend(&self) -> &'static dyn BackendObject {
        self.backend
    }

    fn own<B: Backend>(&self) -> &B::Tensor {
        if let Some(tensor) = (self as &dyn Any).downcast_ref() {
            return tensor;
        }
        match self.downcast_ref() {
            Some(tensor) => tensor,
            None => foreign::<B>(&self.backend.name(&self.backend.device(self))),
        }
    }

    /// Returns the inner tensor, if it is a `T`.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        let tensor: &dyn Any = &*self.tensor;
        tensor.downcast_ref()
    }
}

/// `B` as an object.
#[derive(Debug)]
pub(crate) struct Of<B>(pub(crate) PhantomData<B>);

/// Returns `B` as a trait object, compiled in the crate that calls this from a function that is not generic.
pub fn object_of<B: Backend>() -> &'static dyn BackendObject {
    const { &Of::<B>(PhantomData) }
}

fn own<B: Backend>(xs: Vec<DynamicTensor>) -> Vec<B::Tensor> {
    xs.into_iter().map(DynamicTensor::into_inner::<B>).collect()
}

fn dynamic<B: Backend>(xs: Vec<B::Tensor>) -> Vec<DynamicTensor> {
    xs.into_iter().map(DynamicTensor::new::<B>).collect()
}

impl<B: Backend> BackendObject for Of<B> {
    fn id(&self) -> TypeId {
        TypeId::of::<B>()
    }
    fn execute(&'static self, op: Operation<DynamicTensor>) -> Outputs<DynamicTensor> {
        B::execute(op.map(DynamicTensor::into_inner::<B>)).map(DynamicTensor::new::<B>)
    }
    fn run_block(&'static self, block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        dynamic::<B>(B::run_block(block.map_inputs(DynamicTensor::into_inner::<B>)))
    }
    fn create(&'static self, creation: Creation, device: &DynamicDevice) -> DynamicTensor {
        DynamicTensor::new::<B>(B::create(creation, device.inner::<B>()))
    }
    fn argwhere(
        &'static self,
        mask: DynamicTensor,
        index: DType,
    ) -> BoxFuture<Result<DynamicTensor, DataError>> {
        Box::pin(async move { B::argwhere(mask.into_inner::<B>(), index).await.map(DynamicTensor::new::<B>) })
    }
    fn read(&'static self, x: DynamicTensor) -> BoxFuture<Result<TensorData, DataError>> {
        Box::pin(B::into_data(x.into_inner::<B>()))
    }
    fn device(&'static self, x: &DynamicTensor) -> DynamicDevice {
        DynamicDevice::new::<B>(B::device(x.own::<B>()))
    }
    fn to_device(&'static self, x: DynamicTensor, device: &DynamicDevice) -> DynamicTensor {
        DynamicTensor::new::<B>(B::to_device(x.into_inner::<B>(), device.inner::<B>()))
    }
    fn sync(&'static self, device: &DynamicDevice) {
        B::sync(device.inner::<B>());
    }
    fn seed(&'static self, seed: u64) {
        B::seed(seed);
    }
    fn name(&'static self, device: &DynamicDevice) -> String {
        B::name(device.inner::<B>())
    }
    fn has_dtype(&'static self, device: &DynamicDevice, dtype: DType) -> bool {
        B::has_dtype(device.inner::<B>(), dtype)
    }
    fn tracks_gradients(&'static self, device: &DynamicDevice) -> bool {
        B::tracks_gradients(device.inner::<B>())
    }
    fn set_require_grad(&'static self, x: DynamicTensor, require_grad: bool) -> DynamicTensor {
        DynamicTensor::new::<B>(B::set_require_grad(x.into_inner::<B>(), require_grad))
    }
    fn is_require_grad(&'static self, x: &DynamicTensor) -> bool {
        B::is_require_grad(x.own::<B>())
    }
    fn detach(&'static self, x: DynamicTensor) -> DynamicTensor {
        DynamicTensor::new::<B>(B::detach(x.into_inner::<B>()))
    }
    fn checkpoint(
        &'static self,
        segment: Segment<DynamicTensor>,
        inputs: Vec<DynamicTensor>,
    ) -> Vec<DynamicTensor> {
        let segment: Segment<B::Tensor> = Box::new(move |xs| own::<B>(segment(dynamic::<B>(xs))));
        dynamic::<B>(B::checkpoint(segment, own::<B>(inputs)))
    }
    fn linear_map(
        &'static self,
        map: LinearMapRef,
        x: DynamicTensor,
    ) -> Result<DynamicTensor, LinearMapError> {
        B::linear_map(map, x.into_inner::<B>()).map(DynamicTensor::new::<B>)
    }
    fn same_device(&'static self, lhs: &DynamicDevice, rhs: &DynamicDevice) -> bool {
        let own = |device: &DynamicDevice| {
            let any: &dyn Any = &*device.device;
            any.downcast_ref::<B::Device>().cloned()
        };
        matches!((own(lhs), own(rhs)), (Some(lhs), Some(rhs)) if lhs == rhs)
    }
}

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
