use crate::TensorError;
use crate::check::check;
use crate::check::ensure;
use crate::in_operation::tensor_or_error;
use crate::{AsDim, Bool, Numeric, Tensor, TensorKind, TensorPrimitive};
use burn_backend::{Backend, BinaryOp, CompareOp, Dims, HasSpec, Operation, ReduceOp, Reduction, Scalar};
use burn_derive::fallible;

#[track_caller]
pub(crate) fn reduce<B: Backend, const D: usize, K: TensorKind>(
    x: B::Tensor,
    op: ReduceOp,
    dims: Dims,
) -> Result<Tensor<B, D, K>, TensorError> {
    check(&Operation::Reduction(Reduction::Reduce { op, x: x.spec(), dims: dims.clone() }))?;
    Ok(Tensor::from_handle(B::reduce(op, x, dims)))
}

/// [`total`] of numbers, with an error as a value: one body for all ranks.
#[track_caller]
fn total_or_error<B: Backend>(
    operation: &'static str,
    op: ReduceOp,
    x: TensorPrimitive<B>,
) -> Result<B::Tensor, TensorError> {
    let mut x = Some(x);
    tensor_or_error::<B>(operation, &mut || {
        let x = x.take().expect("it is called once").tensor();
        let dims = (0..x.spec().shape.rank()).collect();
        B::reshape(B::reduce(op, x, dims), [1].into())
    })
}

macro_rules! totals {
    ($($name:ident, $fallible:ident => $op:ident, $doc:literal;)*) => {
        /// # Reductions, of Float and Int tensors
        impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {$(
            #[doc = concat!($doc, " of all elements, shape `[1]`. PyTorch: `torch.", stringify!($name), "`.")]
            #[must_use]
            #[track_caller]
            pub fn $name(self) -> Tensor<B, 1, K> {
                match total_or_error(stringify!($name), ReduceOp::$op, self.into_any()) {
                    Ok(handle) => Tensor::from_handle(handle),
                    Err(error) => error.raise(),
                }
            }

            #[doc = concat!("[`", stringify!($name), "`](Self::", stringify!($name), "), and what is wrong as a value.")]
            ///
            /// # Errors
            /// When memory cannot hold the workspace.
            #[track_caller]
            pub fn $fallible(self) -> Result<Tensor<B, 1, K>, TensorError> {
                total_or_error(stringify!($name), ReduceOp::$op, self.into_any()).map(Tensor::from_handle)
            }
        )*}
    };
}

totals! {
    sum, try_sum => Sum, "Sum";
    prod, try_prod => Prod, "Product";
}

/// Reduces all elements with an operation that has an identity element, so an empty tensor has a result.
fn total<B: Backend, const D: usize, K: TensorKind>(x: B::Tensor, op: ReduceOp) -> Tensor<B, 1, K> {
    debug_assert!(op.has_identity() && op.accepts(x.dtype()), "{} of {}", op.name(), x.dtype());
    Tensor::from_handle(B::reshape(B::reduce(op, x, (0..D).collect()), [1].into()))
}

#[track_caller]
fn reduce_all<B: Backend, const D: usize, K: TensorKind>(
    x: B::Tensor,
    op: ReduceOp,
) -> Result<Tensor<B, 1, K>, TensorError> {
    let all = reduce::<B, D, K>(x, op, (0..D).collect())?;
    Ok(Tensor::from_handle(B::reshape(all.into_handle(), [1].into())))
}

#[fallible]
/// # Reductions, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Sums along `dim`, which stays with size 1. PyTorch: `torch.sum(dim, keepdim=True)`.
    pub fn try_sum_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.along("sum_dim", ReduceOp::Sum, dim)
    }

    /// Computes the product along `dim`, which stays with size 1. PyTorch: `torch.prod(dim, keepdim=True)`.
    pub fn try_prod_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.along("prod_dim", ReduceOp::Prod, dim)
    }

    /// Computes the mean of all elements, shape `[1]`; of integers, truncated. PyTorch: `torch.mean`.
    ///
    /// # Errors
    /// When there is no element, and no NaN because the elements are integers.
    pub fn try_mean(self) -> Result<Tensor<B, 1, K>, TensorError> {
        let count = self.shape().num_elements();
        mean::<B, D, K>(self.into_handle(), (0..D).collect(), count)?.try_reshape([1])
    }

    /// Computes the mean along `dim`, which stays with size 1; of integers, truncated. PyTorch:
    /// `torch.mean(dim, keepdim=True)`.
    pub fn try_mean_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("mean_dim", &self.spec().shape)?;
        let count = self.spec().shape[dim];
        mean(self.into_handle(), Dims::from([dim]), count)
    }

    /// Computes the largest element, shape `[1]`; NaN if any is NaN. PyTorch: `torch.max`.
    ///
    /// # Errors
    /// When there is no element.
    pub fn try_max(self) -> Result<Tensor<B, 1, K>, TensorError> {
        reduce_all::<B, D, K>(self.into_handle(), ReduceOp::Max)
    }

    /// Computes the maximum along `dim`, which stays with size 1. PyTorch: `torch.amax(dim, keepdim=True)`.
    pub fn try_max_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.along("max_dim", ReduceOp::Max, dim)
    }

    /// Computes the smallest element, shape `[1]`; NaN if any is NaN. PyTorch: `torch.min`.
    ///
    /// # Errors
    /// When there is no element.
    pub fn try_min(self) -> Result<Tensor<B, 1, K>, TensorError> {
        reduce_all::<B, D, K>(self.into_handle(), ReduceOp::Min)
    }

    /// Computes the minimum along `dim`, which stays with size 1. PyTorch: `torch.amin(dim, keepdim=True)`.
    pub fn try_min_dim(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.along("min_dim", ReduceOp::Min, dim)
    }

    #[track_caller]
    pub(crate) fn along(
        self,
        operation: &'static str,
        op: ReduceOp,
        dim: impl AsDim,
    ) -> Result<Self, TensorError> {
        let dim = dim.resolve(operation, &self.spec().shape)?;
        reduce(self.into_handle(), op, Dims::from([dim]))
    }
}

#[track_caller]
pub(crate) fn mean<B: Backend, const D: usize, K: Numeric>(
    x: B::Tensor,
    dims: Dims,
    count: usize,
) -> Result<Tensor<B, D, K>, TensorError> {
    if x.dtype().is_float() {
        return reduce(x, ReduceOp::Mean, dims);
    }
    ensure!(count > 0, "mean", "integers have no mean of nothing, shape {:?}", x.spec().shape);
    let sum = reduce::<B, D, K>(x, ReduceOp::Sum, dims)?;
    Ok(Tensor::from_handle(B::binary_scalar(BinaryOp::Div, sum.into_handle(), count.into())))
}

#[fallible]
/// # Reductions
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    pub(crate) fn truth(self) -> B::Tensor {
        if self.dtype() == burn_backend::DType::Bool {
            return self.into_handle();
        }
        B::compare_scalar(CompareOp::NotEqual, self.into_handle(), Scalar::Int(0))
    }

    /// Tests whether any element is true, or not zero; shape `[1]`. PyTorch: `torch.any`.
    pub fn try_any(self) -> Result<Tensor<B, 1, Bool>, TensorError> {
        Ok(total::<B, D, Bool>(self.truth(), ReduceOp::Any))
    }

    /// [`Tensor::any`] along `dim`, which stays with size 1. PyTorch: `torch.any(dim, keepdim=True)`.
    pub fn try_any_dim(self, dim: impl AsDim) -> Result<Tensor<B, D, Bool>, TensorError> {
        let dim = dim.resolve("any_dim", &self.spec().shape)?;
        reduce(self.truth(), ReduceOp::Any, Dims::from([dim]))
    }

    /// Tests whether every element is true, or not zero; shape `[1]`. PyTorch: `torch.all`.
    pub fn try_all(self) -> Result<Tensor<B, 1, Bool>, TensorError> {
        Ok(total::<B, D, Bool>(self.truth(), ReduceOp::All))
    }

    /// [`Tensor::all`] along `dim`, which stays with size 1. PyTorch: `torch.all(dim, keepdim=True)`.
    pub fn try_all_dim(self, dim: impl AsDim) -> Result<Tensor<B, D, Bool>, TensorError> {
        let dim = dim.resolve("all_dim", &self.spec().shape)?;
        reduce(self.truth(), ReduceOp::All, Dims::from([dim]))
    }
}

#[fallible]
/// # Reductions, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes the variance `sum((x - mean)^2) / (n - 1)` along `dim`, which stays with size 1. PyTorch:
    /// `torch.var`.
    pub fn try_var(self, dim: impl AsDim) -> Result<Self, TensorError> {
        Ok(self.try_var_mean(dim)?.0)
    }

    /// Computes the biased variance `sum((x - mean)^2) / n` along `dim`. PyTorch: `torch.var(correction=0)`.
    pub fn try_var_bias(self, dim: impl AsDim) -> Result<Self, TensorError> {
        Ok(self.try_var_mean_bias(dim)?.0)
    }

    /// [`Tensor::var`] and the mean. PyTorch: `torch.var_mean`.
    pub fn try_var_mean(self, dim: impl AsDim) -> Result<(Self, Self), TensorError> {
        let dim = dim.resolve("var_mean", &self.spec().shape)?;
        Ok(self.spread(dim, 1))
    }

    /// [`Tensor::var_bias`] and the mean. PyTorch: `torch.var_mean(correction=0)`.
    pub fn try_var_mean_bias(self, dim: impl AsDim) -> Result<(Self, Self), TensorError> {
        let dim = dim.resolve("var_mean_bias", &self.spec().shape)?;
        Ok(self.spread(dim, 0))
    }

    fn spread(self, dim: usize, correction: usize) -> (Self, Self) {
        let dtype = self.dtype();
        let (variance, mean) = self.wide_spread(dim, correction);
        (variance.rounded(dtype), mean.rounded(dtype))
    }

    /// Computes the variance and the mean, of half-precision numbers in `f32`: squares of differences neither
    /// overflow nor vanish there.
    pub(crate) fn wide_spread(self, dim: usize, correction: usize) -> (Self, Self) {
        let x = self.widened();
        let degrees = x.spec().shape[dim] as f64 - correction as f64;
        let mean = x.clone().mean_dim(dim);
        let squares = (x - mean.clone()).square().sum_dim(dim);
        // Where no degree of freedom is left the variance is not a number, as in PyTorch.
        (squares / degrees.max(0.0), mean)
    }
}
