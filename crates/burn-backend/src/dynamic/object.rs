//! Backends as objects, and their tensors and devices.

use crate::{Block, LaunchGraphs, LinearMapError, LinearMapRef, Segment, TensorHandle};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::sync::Arc;
use burn_ir::{Creation, DType, DataError, HasSpec, Operation, Outputs, TensorData, TensorSpec};
use core::any::{Any, TypeId};
use core::fmt::Debug;
use core::pin::Pin;
use spin::Once;

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
    /// See [`Backend::launch_graphs`](crate::Backend::launch_graphs); tensors are those of the inner backend.
    fn launch_graphs(&'static self, device: &DynamicDevice) -> Option<Box<dyn LaunchGraphs>>;
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
    /// See [`Backend::linear_map`](crate::Backend::linear_map).
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
    pub(super) backend: &'static dyn BackendObject,
    pub(super) device: Arc<dyn AnyDevice>,
}

pub(super) trait AnyDevice: Any + Debug + Send + Sync {}
impl<T: Any + Debug + Send + Sync> AnyDevice for T {}

pub(super) static DEFAULT: Once<DynamicDevice> = Once::new();

impl DynamicDevice {
    /// Sets the device that `DynamicDevice::default()` returns from now on; the first call wins.
    pub fn set_default(self) {
        DEFAULT.call_once(|| self);
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
    pub(super) backend: &'static dyn BackendObject,
    pub(super) tensor: Arc<dyn AnyTensor>,
}

pub(super) trait AnyTensor: Any + HasSpec + Debug + Send + Sync {}
impl<T: TensorHandle> AnyTensor for T {}

impl HasSpec for DynamicTensor {
    fn spec(&self) -> &TensorSpec {
        self.tensor.spec()
    }
}

impl DynamicTensor {
    /// Returns the backend as an object.
    pub fn backend(&self) -> &'static dyn BackendObject {
        self.backend
    }

    /// Returns the inner tensor, if it is a `T`.
    pub fn downcast_ref<T: 'static>(&self) -> Option<&T> {
        let tensor: &dyn Any = &*self.tensor;
        tensor.downcast_ref()
    }
}
