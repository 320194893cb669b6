use super::{Expr, TensorId};
use crate::error::{Outcome, fail};
use burn_ir::DType;
use std::fmt;

/// Element type and dimensions of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Element type.
    pub dtype: DType,
    /// Size of each dimension as tensors here count them: a scalar of ONNX has one of size 1.
    pub dims: Vec<Expr>,
    /// Whether ONNX counts no dimension.
    pub is_scalar: bool,
}

impl Spec {
    /// Creates a tensor of rank 1 and above.
    pub fn new(dtype: DType, dims: impl Into<Vec<Expr>>) -> Self {
        Spec { dtype, dims: dims.into(), is_scalar: false }
    }

    /// Creates a tensor of rank 0 of ONNX.
    pub fn scalar(dtype: DType) -> Self {
        Spec { dtype, dims: vec![Expr::Int(1)], is_scalar: true }
    }

    /// Creates a tensor of the dimensions that ONNX counts: none is a scalar.
    pub fn of(dtype: DType, dims: Vec<Expr>) -> Self {
        if dims.is_empty() { Spec::scalar(dtype) } else { Spec::new(dtype, dims) }
    }
}

/// A tensor on a device: its spec, and when the model runs its elements.
#[derive(Clone)]
pub struct Tensor {
    pub(crate) id: TensorId,
    pub(crate) spec: Spec,
    #[cfg(feature = "run")]
    pub(crate) handle: Option<burn_backend::dynamic::DynamicTensor>,
    /// Counts the bytes of the elements where a node made them.
    #[cfg(feature = "run")]
    pub(crate) charge: Option<std::sync::Arc<crate::charge::Charge>>,
}

impl Tensor {
    /// Returns the element type.
    pub fn dtype(&self) -> DType {
        self.spec.dtype
    }

    /// Returns the size of each dimension that ONNX counts: none for a scalar.
    pub fn dims(&self) -> &[Expr] {
        if self.spec.is_scalar { &[] } else { &self.spec.dims }
    }

    /// Returns the size of each dimension that the tensor has: one of size 1 for a scalar of ONNX.
    pub fn held_dims(&self) -> &[Expr] {
        &self.spec.dims
    }

    /// Returns the size of a dimension that ONNX counts.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn dim(&self, d: usize) -> Outcome<Expr> {
        self.size_of(self.dims(), d)
    }

    /// Returns the size of a dimension that the tensor has.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn held_dim(&self, d: usize) -> Outcome<Expr> {
        self.size_of(self.held_dims(), d)
    }

    fn size_of(&self, dims: &[Expr], d: usize) -> Outcome<Expr> {
        match dims.get(d) {
            Some(size) => Ok(size.clone()),
            None => fail!("expected a tensor of rank {} or more, got {self:?}", d.saturating_add(1)),
        }
    }

    /// Returns the number of dimensions that ONNX counts.
    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    /// Returns whether ONNX counts no dimension.
    pub fn is_scalar(&self) -> bool {
        self.spec.is_scalar
    }

    /// Marks the tensor as a scalar of ONNX, or as a tensor of rank 1.
    #[must_use]
    pub fn as_scalar(mut self, is_scalar: bool) -> Self {
        self.spec.is_scalar =
            is_scalar && self.spec.dims.len() == 1 && !is_other_than_one(&self.spec.dims[0]);
        self
    }
}

fn is_other_than_one(dim: &Expr) -> bool {
    dim.known().is_some_and(|size| size != 1)
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}: {} {:?}", self.id.0, self.spec.dtype, self.dims())
    }
}
