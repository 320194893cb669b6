use crate::{Tensor, TensorKind};
use burn_backend::AutodiffBackend;

impl<B: AutodiffBackend, const D: usize> Tensor<B, D> {
    /// Gradients of the sum of the elements by everything that asked for one.
    pub fn backward(&self) -> B::Gradients {
        B::backward(self.primitive().clone())
    }

    pub fn grad(&self, gradients: &B::Gradients) -> Option<Tensor<B::InnerBackend, D>> {
        B::grad(self.primitive(), gradients).map(Tensor::from_primitive)
    }

    pub fn grad_remove(&self, gradients: &mut B::Gradients) -> Option<Tensor<B::InnerBackend, D>> {
        B::grad_remove(self.primitive(), gradients).map(Tensor::from_primitive)
    }
}

impl<B: AutodiffBackend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    pub fn inner(self) -> Tensor<B::InnerBackend, D, K> {
        Tensor::from_primitive(B::inner(self.into_primitive()))
    }

    pub fn from_inner(inner: Tensor<B::InnerBackend, D, K>) -> Self {
        Tensor::from_primitive(B::from_inner(inner.into_primitive()))
    }
}
