use super::{ParamKind, raw};
use crate::tensor::{Backend, Shape, Tensor, TensorKind, TensorPrimitive};

/// A tensor that can be a [`Param`](super::Param).
pub trait Parameter: Clone + Send + Sync + 'static {
    type Device: Clone + Send + Sync;

    /// Kind of the elements.
    const KIND: ParamKind;

    fn shape(&self) -> Shape;
    fn device(&self) -> Self::Device;
    fn to_device(self, device: &Self::Device) -> Self;
    /// Returns the tensor as a leaf that requires a gradient, or detached.
    #[must_use]
    fn tracked(self, require_grad: bool) -> Self;
    /// Returns whether the tensor is quantized, so that no gradient reaches it.
    fn is_quantized(&self) -> bool;
}

impl<B: Backend, const D: usize, K: TensorKind> Parameter for Tensor<B, D, K> {
    type Device = B::Device;
    const KIND: ParamKind = ParamKind::of::<K>();

    fn shape(&self) -> Shape {
        Tensor::shape(self)
    }
    fn device(&self) -> B::Device {
        Tensor::device(self)
    }
    fn to_device(self, device: &B::Device) -> Self {
        if Parameter::device(&self) == *device {
            return self;
        }
        self.detach().to_device(device)
    }
    fn tracked(self, require_grad: bool) -> Self {
        match raw::into(self) {
            TensorPrimitive::Float(x) if Self::KIND == ParamKind::Float => {
                let as_asked = require_grad && B::is_require_grad(&x);
                Tensor::from_handle(if as_asked {
                    x
                } else {
                    B::set_require_grad(B::detach(x), require_grad)
                })
            }
            other => raw::from(other),
        }
    }
    fn is_quantized(&self) -> bool {
        Tensor::is_quantized(self)
    }
}
