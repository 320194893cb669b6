use super::{Param, ParamId, ParamKind, Parameter, raw};
use crate::tensor::{Backend, Shape, Tensor, TensorKind, TensorPrimitive};

/// Parameter of any rank and kind, as visitors and mappers of a module receive it.
pub trait AnyParam<B: Backend> {
    fn id(&self) -> ParamId;
    fn kind(&self) -> ParamKind;
    /// Returns the shape, without initializing the values.
    fn shape(&self) -> Shape;
    fn device(&self) -> B::Device;
    fn is_initialized(&self) -> bool;
    fn is_require_grad(&self) -> bool;

    /// Returns the values, initialized on the first use. Parameters of every kind have a float primitive
    /// here.
    fn tensor(&self) -> TensorPrimitive<B>;
    /// Moves the values out, so that they can be changed in place. Give others back with [`set`](Self::set).
    fn take(&mut self) -> TensorPrimitive<B>;
    /// Sets values of the same shape; the gradient requirement stays.
    fn set(&mut self, tensor: TensorPrimitive<B>);
    fn set_require_grad(&mut self, require_grad: bool);
    fn to_device(&mut self, device: &B::Device);
}

impl<B: Backend, const D: usize, K: TensorKind> AnyParam<B> for Param<Tensor<B, D, K>> {
    fn id(&self) -> ParamId {
        Param::id(self)
    }
    fn kind(&self) -> ParamKind {
        <Tensor<B, D, K> as Parameter>::KIND
    }
    fn shape(&self) -> Shape {
        Param::shape(self)
    }
    fn device(&self) -> B::Device {
        Param::device(self)
    }
    fn is_initialized(&self) -> bool {
        Param::is_initialized(self)
    }
    fn is_require_grad(&self) -> bool {
        Param::is_require_grad(self)
    }
    fn tensor(&self) -> TensorPrimitive<B> {
        // Not `val`: a walk over a module is no forward pass.
        raw::into(Tensor::clone(self))
    }
    fn take(&mut self) -> TensorPrimitive<B> {
        raw::into(Param::take(self))
    }
    fn set(&mut self, tensor: TensorPrimitive<B>) {
        self.put(raw::from(tensor));
    }
    fn set_require_grad(&mut self, require_grad: bool) {
        self.track(require_grad);
    }
    fn to_device(&mut self, device: &B::Device) {
        self.move_to(device);
    }
}
