use crate::{Tensor, TensorError, TensorKind};
use burn_backend::{AutodiffBackend, Backend};
use burn_derive::fallible;

// Bounds on methods, and types that follow from them as parameters: so the compiler's error about a backend
// without gradients is the one of `AutodiffBackend`, which says what to do.
#[fallible]
/// # Gradients, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes the gradients of the sum of the elements by all tensors that require one. PyTorch:
    /// `x.backward()`.
    ///
    /// The graph is used up: a second call needs a second forward pass.
    ///
    /// # Errors
    /// When no tensor that this one depends on requires a gradient, when every path to one goes through an
    /// operation without a gradient (the message names one), or when the graph was used before:
    /// [`TensorError::backward`] returns which.
    pub fn try_backward<G>(&self) -> Result<G, TensorError>
    where
        B: AutodiffBackend<Gradients = G>,
    {
        match B::backward(self.clone().into_handle()) {
            Ok(gradients) => Ok(gradients),
            Err(error) => Err(TensorError::from(error)),
        }
    }
}

/// # Gradients, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Returns the gradient by this tensor, if there is one. PyTorch: `x.grad`.
    pub fn grad<I: Backend>(&self, gradients: &B::Gradients) -> Option<Tensor<I, D>>
    where
        B: AutodiffBackend<InnerBackend = I>,
    {
        B::grad(self.plain()?, gradients).map(Tensor::from_handle)
    }

    /// [`Tensor::grad`], which leaves the container and so may be written in place. PyTorch has no
    /// counterpart.
    pub fn grad_remove<I: Backend>(&self, gradients: &mut B::Gradients) -> Option<Tensor<I, D>>
    where
        B: AutodiffBackend<InnerBackend = I>,
    {
        B::grad_remove(self.plain()?, gradients).map(Tensor::from_handle)
    }

    /// Puts `gradient` in the place of the gradient by this tensor. PyTorch: `x.grad = gradient`.
    #[doc(alias = "grad")]
    pub fn grad_replace(&self, gradients: &mut B::Gradients, gradient: Tensor<B::InnerBackend, D>)
    where
        B: AutodiffBackend,
    {
        if let Some(handle) = self.plain() {
            B::grad_replace(handle, gradients, gradient.into_handle());
        }
    }
}

/// # Gradients
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Returns the tensor on the backend below, without its history. PyTorch: `x.detach()`.
    #[doc(alias = "detach")]
    pub fn inner<I: Backend>(self) -> Tensor<I, D, K>
    where
        B: AutodiffBackend<InnerBackend = I>,
    {
        Tensor::from_any(self.into_any().map(B::inner))
    }

    /// Wraps a tensor of the backend below, untracked. PyTorch has no counterpart.
    pub fn from_inner(inner: Tensor<B::InnerBackend, D, K>) -> Self
    where
        B: AutodiffBackend,
    {
        Tensor::from_any(inner.into_any().map(B::from_inner))
    }
}

/// Gradient tracking, without effect on a backend without gradients.
#[fallible]
/// # Gradients, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Asks for a gradient by this tensor. PyTorch: `x.requires_grad_()`.
    ///
    /// # Errors
    /// When the tensor is quantized: no gradient flows to numbers of few bits.
    pub fn try_require_grad(self) -> Result<Self, TensorError> {
        self.try_set_require_grad(true)
    }

    /// Asks for a gradient, or no longer does. PyTorch: `x.requires_grad_(bool)`.
    ///
    /// # Errors
    /// When gradients of a quantized tensor are requested: none flow to quantized values.
    pub fn try_set_require_grad(self, require_grad: bool) -> Result<Self, TensorError> {
        match (self.is_quantized(), require_grad) {
            (false, _) => Ok(Self::from_handle(B::set_require_grad(self.into_handle(), require_grad))),
            (true, false) => Ok(self),
            (true, true) => Err(no_gradient()),
        }
    }
}

/// # Gradients, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Returns whether the tensor requires a gradient. PyTorch: `x.requires_grad`.
    #[doc(alias = "requires_grad")]
    pub fn is_require_grad(&self) -> bool {
        self.plain().is_some_and(B::is_require_grad)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_gradient() -> TensorError {
    TensorError::argument(
        "require_grad",
        format_args!("no gradient flows to a quantized tensor: dequantize it first"),
    )
}

/// # Gradients
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Returns the same values, detached from the graph. PyTorch: `x.detach()`.
    #[must_use]
    pub fn detach(self) -> Self {
        Self::from_any(self.into_any().map::<B>(B::detach))
    }
}
