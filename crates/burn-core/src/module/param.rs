use super::attachment::Attachment;
use super::lazy::Lazy;
use super::once::Once;
use super::{ParamId, ParamKind, Parameter};
use crate::tensor::backend::module_scope;
use crate::tensor::sync::Arc;
use crate::tensor::{Backend, Shape, Tensor, TensorData, TensorKind};
use alloc::boxed::Box;
use core::fmt::{Debug, Formatter};
use core::ops::Deref;

/// Learnable tensor of a module: it is saved in the record, has a [`ParamId`], and requires gradients.
///
/// # Lazy
/// A parameter from an [`Initializer`](super::Initializer) is initialized on its first use. Before that it
/// takes no memory, its shape is known, and loading a record replaces it without ever initializing it.
///
/// Random numbers are drawn from the backend's generator at that first use. So the same program with the same
/// `B::seed(..)` has the same parameters, and parameters that are used for the first time together, by a walk
/// over the module (a save, a clone to another device, a step of an optimizer), are initialized in the order
/// in which the module declares them. A forward pass initializes them in the order in which it uses them.
/// Clones share the value, whichever is used first.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::module::{Initializer, Param};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let weight: Param<Tensor<NdArray, 2>> = Initializer::Ones.init([2, 3], &device);
/// assert!(!weight.is_initialized());
/// assert_eq!(weight.shape()[..], [2, 3]);
///
/// assert_eq!(weight.val().sum().into_data().to_f64(), [6.0]);
/// assert!(weight.is_initialized());
/// ```
pub struct Param<T: Parameter> {
    /// Identifier of the parameter: the key of its gradient and of its optimizer state.
    pub id: ParamId,
    require_grad: bool,
    value: Once<T>,
    lazy: Option<Arc<Lazy<T>>>,
    attachment: Option<Box<dyn Attachment>>,
}

impl<T: Parameter> Param<T> {
    /// Creates a parameter with the values of `tensor`.
    pub fn from_tensor(tensor: T) -> Self {
        Self::initialized(ParamId::new(), tensor)
    }

    /// Creates the parameter `id` with the values of `tensor`.
    pub fn initialized(id: ParamId, tensor: T) -> Self {
        let require_grad = T::KIND == ParamKind::Float;
        Param {
            id,
            require_grad,
            value: Once::from(tensor.tracked(require_grad)),
            lazy: None,
            attachment: None,
        }
    }

    /// Returns a parameter whose value is computed from other tensors, such as a normalized weight. Gradients
    /// flow through it to them, and it has none of its own.
    pub fn computed(tensor: T) -> Self {
        Param {
            id: ParamId::new(),
            require_grad: false,
            value: Once::from(tensor),
            lazy: None,
            attachment: None,
        }
    }

    /// Creates the parameter `id`, whose values `init` creates on `device` when they are first needed.
    ///
    /// `init` must give a tensor of `shape`.
    pub fn uninitialized(
        id: ParamId,
        shape: impl Into<Shape>,
        device: T::Device,
        init: impl FnOnce(&T::Device) -> T + Send + 'static,
    ) -> Self {
        let require_grad = T::KIND == ParamKind::Float;
        let lazy = Lazy::new(shape.into(), device, Box::new(init));
        Param { id, require_grad, value: Once::new(), lazy: Some(Arc::new(lazy)), attachment: None }
    }

    /// Returns the identifier, the field `id`.
    pub fn id(&self) -> ParamId {
        self.id
    }

    /// Returns the tensor: a cheap clone, initialized on the first use. Profilers count the operations that
    /// follow as those of the module that has this parameter.
    pub fn val(&self) -> T {
        module_scope::read_parameter(self.id.value());
        T::clone(self)
    }

    /// Converts into the tensor; no other handle remains, so it can be modified in place.
    pub fn into_value(mut self) -> T {
        self.take()
    }

    /// Maps the values; identifier and gradient requirement stay.
    #[must_use]
    pub fn map(mut self, f: impl FnOnce(T) -> T) -> Self {
        let value = f(self.take());
        self.put(value);
        self
    }

    /// Returns whether the values are initialized.
    pub fn is_initialized(&self) -> bool {
        self.value.get().is_some()
    }

    /// Returns the shape, without initializing the values.
    pub fn shape(&self) -> Shape {
        match (self.value.get(), &self.lazy) {
            (Some(value), _) => value.shape(),
            (None, Some(lazy)) => lazy.shape.clone(),
            (None, None) => unreachable!("{EMPTY}"),
        }
    }

    /// Returns the device of the values.
    pub fn device(&self) -> T::Device {
        match (self.value.get(), &self.lazy) {
            (Some(value), _) => value.device(),
            (None, Some(lazy)) => lazy.device.clone(),
            (None, None) => unreachable!("{EMPTY}"),
        }
    }

    /// Returns whether the parameter is trainable: true for a new float parameter, and false for a quantized
    /// one until it is dequantized.
    pub fn is_require_grad(&self) -> bool {
        self.require_grad && !self.value.get().is_some_and(T::is_quantized)
    }

    /// Returns whether the parameter is trainable, or will be once it is dequantized.
    pub(super) fn wants_grad(&self) -> bool {
        self.require_grad
    }

    /// Sets whether the parameter is trainable. With `false` it is still saved, but gets no gradient and no
    /// update.
    #[must_use]
    pub fn set_require_grad(mut self, require_grad: bool) -> Self {
        self.track(require_grad);
        self
    }

    /// Moves the values, or where they will be made.
    #[must_use]
    pub fn to_device(mut self, device: &T::Device) -> Self {
        self.move_to(device);
        self
    }

    /// Loads the values of `record`; the previous values are never initialized if they were lazy.
    ///
    /// The values come to the device of this parameter, and gradients stay as they are; the identifier is the
    /// record's.
    ///
    /// # Panics
    /// The shapes differ.
    #[must_use]
    #[track_caller]
    pub fn load_record(mut self, record: Param<T>) -> Self {
        let (expected, found) = (self.shape(), record.shape());
        assert!(expected == found, "the record holds a parameter of shape {found:?}, not {expected:?}");
        self.replace(record);
        self
    }

    pub(super) fn replace(&mut self, record: Param<T>) {
        let (device, require_grad) = (self.device(), self.require_grad);
        *self = record;
        self.move_to(&device);
        self.track(require_grad);
    }

    pub(super) fn attach(&mut self, attachment: Box<dyn Attachment>) {
        self.attachment = Some(attachment);
    }

    pub(super) fn detach(&mut self) -> Option<Box<dyn Attachment>> {
        self.attachment.take()
    }

    pub(super) fn take(&mut self) -> T {
        let value = self.value.take();
        match (value, self.lazy.take()) {
            (Some(value), _) => value,
            (None, Some(lazy)) => lazy.force().clone().tracked(self.require_grad),
            (None, None) => unreachable!("{EMPTY}"),
        }
    }

    pub(super) fn put(&mut self, value: T) {
        self.value = Once::from(value.tracked(self.require_grad));
        self.lazy = None;
    }

    pub(super) fn track(&mut self, require_grad: bool) {
        let require_grad = require_grad && T::KIND == ParamKind::Float;
        self.require_grad = require_grad;
        if let Some(value) = self.value.take() {
            self.put(value);
        }
    }

    pub(super) fn move_to(&mut self, device: &T::Device) {
        match (self.value.take(), self.lazy.take()) {
            (Some(value), _) => self.put(value.to_device(device)),
            (None, Some(lazy)) => self.lazy = Some(Lazy::moved(lazy, device)),
            (None, None) => unreachable!("{EMPTY}"),
        }
    }
}

const EMPTY: &str = "a parameter has values, or a way to make them, unless a panic took them";

impl<B: Backend, const D: usize, K: TensorKind> Param<Tensor<B, D, K>> {
    /// Creates a parameter with the values of `data`.
    pub fn from_data(data: impl Into<TensorData>, device: &B::Device) -> Self {
        Self::from_tensor(Tensor::from_data(data.into(), device))
    }

    /// Returns the sizes, without initializing the values.
    pub fn dims(&self) -> [usize; D] {
        self.shape()[..].try_into().expect("the rank is D")
    }
}

impl<T: Parameter> Deref for Param<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| match &self.lazy {
            Some(lazy) => lazy.force().clone().tracked(self.require_grad),
            None => unreachable!("{EMPTY}"),
        })
    }
}

impl<T: Parameter> Clone for Param<T> {
    fn clone(&self) -> Self {
        let (value, lazy) = match self.value.get() {
            Some(value) => (Once::from(value.clone()), None),
            None => (Once::new(), self.lazy.clone()),
        };
        Param {
            id: self.id,
            require_grad: self.require_grad,
            value,
            lazy,
            attachment: self.attachment.clone(),
        }
    }
}

impl<T: Parameter> Debug for Param<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        let mut fields = f.debug_struct("Param");
        fields.field("id", &self.id).field("shape", &self.shape()).field("require_grad", &self.require_grad);
        fields.field("initialized", &self.is_initialized()).finish()
    }
}

impl<T: Parameter> From<T> for Param<T> {
    fn from(tensor: T) -> Self {
        Param::from_tensor(tensor)
    }
}
