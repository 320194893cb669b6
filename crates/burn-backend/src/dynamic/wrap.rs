//! A backend as an object, and its tensors and devices as those of any backend.

use super::object::{AnyDevice, AnyTensor};
use super::{BackendObject, BoxFuture, DynamicDevice, DynamicTensor};
use crate::{Backend, Block, LaunchGraphs, LinearMapError, LinearMapRef, Segment, TensorHandle};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(target_has_atomic = "ptr")]
use burn_ir::sync::Arc;
use burn_ir::*;
use core::any::{Any, TypeId};
use core::marker::PhantomData;

impl DynamicDevice {
    /// Wraps a device of `B`; a dynamic device is returned as it is.
    pub fn new<B: Backend>(device: B::Device) -> Self {
        if let Some(device) = (&device as &dyn Any).downcast_ref::<DynamicDevice>() {
            return device.clone();
        }
        DynamicDevice { backend: B::object(), device: arc_dyn!(device as dyn AnyDevice) }
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
            None => foreign(core::any::type_name::<B>(), &self.backend.name(self)),
        }
    }
}

impl DynamicTensor {
    /// Wraps a tensor of `B`; a dynamic tensor is returned as it is.
    pub fn new<B: Backend>(tensor: B::Tensor) -> Self {
        if let Some(tensor) = (&tensor as &dyn Any).downcast_ref::<DynamicTensor>() {
            return tensor.clone();
        }
        DynamicTensor::of(B::object(), tensor)
    }

    /// Wraps a tensor of the backend that this object is.
    pub fn of<T: TensorHandle>(backend: &'static dyn BackendObject, tensor: T) -> Self {
        DynamicTensor { backend, tensor: arc_dyn!(tensor as dyn AnyTensor) }
    }

    /// Returns the inner tensor of `B`; moved out if this is the last handle.
    ///
    /// # Panics
    /// When it is a tensor of another backend.
    pub fn into_inner<B: Backend>(self) -> B::Tensor {
        if let Some(tensor) = (&self as &dyn Any).downcast_ref::<B::Tensor>() {
            return tensor.clone();
        }
        self.into_tensor(core::any::type_name::<B>())
    }

    /// Returns the inner tensor of this type, which tensors of the named backend have; moved out if this is
    /// the last handle.
    ///
    /// # Panics
    /// When it is a tensor of another backend.
    pub fn into_tensor<T: TensorHandle>(self, backend: &str) -> T {
        let Some(tensor) = self.downcast_ref::<T>() else {
            foreign(backend, &self.backend.name(&self.backend.device(&self)))
        };
        #[cfg(target_has_atomic = "ptr")]
        {
            let _ = tensor;
            let tensor: Arc<dyn Any + Send + Sync> = self.tensor;
            Arc::unwrap_or_clone(tensor.downcast().expect("the type was compared"))
        }
        // Only `alloc`'s `Arc` becomes one of another trait.
        #[cfg(not(target_has_atomic = "ptr"))]
        tensor.clone()
    }

    fn own<B: Backend>(&self) -> &B::Tensor {
        if let Some(tensor) = (self as &dyn Any).downcast_ref() {
            return tensor;
        }
        match self.downcast_ref() {
            Some(tensor) => tensor,
            None => foreign(core::any::type_name::<B>(), &self.backend.name(&self.backend.device(self))),
        }
    }
}

/// Panics about a device or tensor of another backend.
#[cold]
#[inline(never)]
fn foreign(own: &str, found: &str) -> ! {
    let device = "move one of the operands with to_device";
    panic!("a tensor or a device of {found} was given to {own}: {device}");
}

/// Functions of a backend for dynamic tensors, all of its own.
#[derive(Clone, Copy, Debug)]
pub struct DynamicCalls {
    pub execute: fn(Operation<DynamicTensor>) -> Outputs<DynamicTensor>,
    pub run_block: fn(Block<DynamicTensor>) -> Vec<DynamicTensor>,
}

/// `B` as an object.
#[derive(Debug)]
pub struct Of<B> {
    calls: DynamicCalls,
    backend: PhantomData<B>,
}

impl<B: Backend> Of<B> {
    /// Creates the object.
    pub(crate) const fn new() -> Self {
        Self::with(DynamicCalls {
            execute: |op| B::execute(op.map(DynamicTensor::into_inner::<B>)).map(DynamicTensor::new::<B>),
            run_block: |block| dynamic::<B>(B::run_block(block.map_inputs(DynamicTensor::into_inner::<B>))),
        })
    }

    /// Creates the object of a backend with functions of its own, so that programs do not compile how the
    /// operands of all operations are mapped.
    pub const fn with(calls: DynamicCalls) -> Self {
        Of { calls, backend: PhantomData }
    }
}

/// Returns `B` as a trait object, compiled in the crate that calls this from a function that is not generic.
pub fn object_of<B: Backend>() -> &'static dyn BackendObject {
    const { &Of::<B>::new() }
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
        (self.calls.execute)(op)
    }
    fn run_block(&'static self, block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        (self.calls.run_block)(block)
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
    fn launch_graphs(&'static self, device: &DynamicDevice) -> Option<Box<dyn LaunchGraphs>> {
        B::launch_graphs(device.inner::<B>())
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
