use crate::check::{check, ensure};
use crate::dim::resolve_all;
use crate::{Bool, DynTensor, Float, Numeric, TensorError, TensorKind};
use burn_backend::{Backend, CompareOp, DType, HasSpec, Operation, ReduceOp, Reduction, Scalar, Shape};
use burn_derive::fallible;

#[track_caller]
fn reduce<B: Backend, K: TensorKind>(
    operation: &'static str,
    op: ReduceOp,
    x: B::Tensor,
    dims: &[isize],
    keep_dims: bool,
) -> Result<DynTensor<B, K>, TensorError> {
    let shape = x.shape();
    let dims = resolve_all(dims, operation, &shape)?;
    for (at, dim) in dims.iter().enumerate() {
        ensure!(!dims[..at].contains(dim), operation, "dimension {dim} of {shape:?} is there twice");
    }
    check(&Operation::Reduction(Reduction::Reduce { op, x: x.spec(), dims: dims.clone() }))?;
    let result = if dims.is_empty() { x } else { B::reduce(op, x, dims.clone()) };
    Ok(DynTensor::from_handle(if keep_dims { result } else { without::<B>(result, &dims) }))
}

fn without<B: Backend>(x: B::Tensor, dims: &[usize]) -> B::Tensor {
    let shape = x.shape();
    let kept: Shape = (0..shape.rank()).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    B::reshape(x, kept)
}

fn truth<B: Backend>(x: B::Tensor) -> B::Tensor {
    if x.dtype() == DType::Bool { x } else { B::compare_scalar(CompareOp::NotEqual, x, Scalar::Int(0)) }
}

#[fallible]
impl<B: Backend, K: Numeric> DynTensor<B, K> {
    /// Sums over `dims`, which stay with size 1 if `keep_dims`. PyTorch: `torch.sum`.
    ///
    /// # Errors
    /// When a dimension does not exist, or is there twice.
    pub fn try_sum_dims(self, dims: &[isize], keep_dims: bool) -> Result<Self, TensorError> {
        reduce("sum_dims", ReduceOp::Sum, self.handle, dims, keep_dims)
    }

    /// Multiplies over `dims`, which stay with size 1 if `keep_dims`. PyTorch: `torch.prod`.
    ///
    /// # Errors
    /// When a dimension does not exist, or is there twice.
    pub fn try_prod_dims(self, dims: &[isize], keep_dims: bool) -> Result<Self, TensorError> {
        reduce("prod_dims", ReduceOp::Prod, self.handle, dims, keep_dims)
    }

    /// Computes the maximum over `dims`, which stay with size 1 if `keep_dims`. PyTorch: `torch.amax`.
    ///
    /// # Errors
    /// When a dimension does not exist, is there twice, or has no element.
    pub fn try_max_dims(self, dims: &[isize], keep_dims: bool) -> Result<Self, TensorError> {
        reduce("max_dims", ReduceOp::Max, self.handle, dims, keep_dims)
    }

    /// Computes the minimum over `dims`, which stay with size 1 if `keep_dims`. PyTorch: `torch.amin`.
    ///
    /// # Errors
    /// When a dimension does not exist, is there twice, or has no element.
    pub fn try_min_dims(self, dims: &[isize], keep_dims: bool) -> Result<Self, TensorError> {
        reduce("min_dims", ReduceOp::Min, self.handle, dims, keep_dims)
    }
}

#[fallible]
impl<B: Backend> DynTensor<B, Float> {
    /// Computes the mean over `dims`, which stay with size 1 if `keep_dims`. PyTorch: `torch.mean`.
    ///
    /// # Errors
    /// When a dimension does not exist, or is there twice.
    pub fn try_mean_dims(self, dims: &[isize], keep_dims: bool) -> Result<Self, TensorError> {
        reduce("mean_dims", ReduceOp::Mean, self.handle, dims, keep_dims)
    }
}

#[fallible]
impl<B: Backend, K: TensorKind> DynTensor<B, K> {
    /// Tests whether any element over `dims` is true, or not zero. PyTorch: `torch.any`.
    ///
    /// # Errors
    /// When a dimension does not exist, or is there twice.
    pub fn try_any_dims(self, dims: &[isize], keep_dims: bool) -> Result<DynTensor<B, Bool>, TensorError> {
        reduce("any_dims", ReduceOp::Any, truth::<B>(self.handle), dims, keep_dims)
    }

    /// Tests whether every element over `dims` is true, or not zero. PyTorch: `torch.all`.
    ///
    /// # Errors
    /// When a dimension does not exist, or is there twice.
    pub fn try_all_dims(self, dims: &[isize], keep_dims: bool) -> Result<DynTensor<B, Bool>, TensorError> {
        reduce("all_dims", ReduceOp::All, truth::<B>(self.handle), dims, keep_dims)
    }

    /// Returns every dimension, for a reduction of all elements: `x.clone().sum_dims(&x.all_axes(), false)`.
    /// PyTorch has no counterpart.
    pub fn all_axes(&self) -> alloc::vec::Vec<isize> {
        (0..self.rank()).map(|dim| dim as isize).collect()
    }
}
