use super::factor::value_factors;
use super::size::matrices;
use crate::check::check;
use crate::dim::resolve_all;
use crate::{AsDim, Tensor, TensorError, TensorKind};
use burn_backend::ops::{narrow, sum_dims, wide};
use burn_backend::{
    Backend, BinaryOp, CompareOp, Dims, HasSpec, Operation, ReduceOp, Reduction, Scalar, UnaryOp,
};
use burn_derive::fallible;

/// Vector norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// Number of non-zero elements.
    L0,
    /// `sum |x|`.
    L1,
    /// `sqrt(sum x^2)`.
    L2,
    /// `(sum |x|^p)^(1/p)`.
    Lp(f64),
    /// The largest `|x|`.
    LInf,
    /// The smallest `|x|`.
    LNegInf,
}

impl From<f64> for Norm {
    fn from(p: f64) -> Self {
        match p {
            0.0 => Norm::L0,
            1.0 => Norm::L1,
            2.0 => Norm::L2,
            f64::INFINITY => Norm::LInf,
            f64::NEG_INFINITY => Norm::LNegInf,
            p => Norm::Lp(p),
        }
    }
}

impl From<f32> for Norm {
    fn from(p: f32) -> Self {
        Norm::from(f64::from(p))
    }
}

impl From<i32> for Norm {
    fn from(p: i32) -> Self {
        Norm::from(f64::from(p))
    }
}

/// Computes the norm of vectors along `dim`, which stays with size 1. Its gradient at a vector of zeros is
/// zero. Powers of half-precision numbers and their sum are computed in `f32`. PyTorch:
/// `torch.linalg.vector_norm(keepdim=True)`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg::{self, Norm}};
/// fn lengths<B: Backend>(x: Tensor<B, 2>) -> [Tensor<B, 2>; 3] {
///     [linalg::norm(x.clone(), 2, -1), linalg::norm(x.clone(), 0.5, -1), linalg::norm(x, Norm::LInf, -1)]
/// }
/// ```
///
/// # Errors
/// When `dim` does not exist, or has size 0 and the norm is that of an extreme element.
#[fallible]
pub fn try_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm: impl Into<Norm>,
    dim: impl AsDim,
) -> Result<Tensor<B, D>, TensorError> {
    let dim = dim.resolve("norm", &x.shape())?;
    of_dims(x.into_handle(), norm.into(), Dims::from([dim]))
}

/// [`norm`] of all elements of `dims`, which stay with size 1; of no dims, of every element for itself.
/// PyTorch: `torch.linalg.vector_norm(keepdim=True)`.
///
/// # Errors
/// As [`norm`], and when a dimension is named twice.
#[fallible]
pub fn try_norm_dims<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm: impl Into<Norm>,
    dims: &[impl AsDim],
) -> Result<Tensor<B, D>, TensorError> {
    let dims = resolve_all(dims, "norm", &x.shape())?;
    of_dims(x.into_handle(), norm.into(), dims)
}

#[track_caller]
pub(super) fn of_dims<B: Backend, const D: usize, K: TensorKind>(
    x: B::Tensor,
    norm: Norm,
    dims: Dims,
) -> Result<Tensor<B, D, K>, TensorError> {
    let op = match norm {
        Norm::L0 | Norm::L1 | Norm::L2 | Norm::Lp(_) => ReduceOp::Sum,
        Norm::LInf => ReduceOp::Max,
        Norm::LNegInf => ReduceOp::Min,
    };
    check(&Operation::Reduction(Reduction::Reduce { op, x: x.spec(), dims: dims.clone() }))?;
    let dtype = x.dtype();
    let x = if matches!(norm, Norm::L2 | Norm::Lp(_)) { wide::<B>(x) } else { x };
    let abs = |x| B::unary(UnaryOp::Abs, x);
    let length = match norm {
        Norm::L0 => {
            sum_dims::<B>(B::cast(B::compare_scalar(CompareOp::NotEqual, x, Scalar::Int(0)), dtype), dims)
        }
        Norm::L1 => sum_dims::<B>(abs(x), dims),
        Norm::L2 => root::<B>(sum_dims::<B>(B::unary(UnaryOp::Square, x), dims)),
        Norm::Lp(p) if p > 0.0 => {
            let sum = sum_dims::<B>(but_zero::<B>(abs(x), |x| power::<B>(x, p)), dims);
            but_zero::<B>(sum, |sum| power::<B>(sum, 1.0 / p))
        }
        // One zero makes the whole norm zero.
        Norm::Lp(p) => power::<B>(sum_dims::<B>(power::<B>(abs(x), p), dims), 1.0 / p),
        Norm::LInf | Norm::LNegInf => B::reduce(op, abs(x), dims),
    };
    Ok(Tensor::from_handle(narrow::<B>(length, dtype)))
}

fn power<B: Backend>(x: B::Tensor, exponent: f64) -> B::Tensor {
    B::binary_scalar(BinaryOp::Pow, x, Scalar::Float(exponent))
}

/// Computes the square root of a sum of squares. Its gradient where that is zero is zero, and not `0 / 0`.
pub fn root<B: Backend>(x: B::Tensor) -> B::Tensor {
    but_zero::<B>(x, |x| B::unary(UnaryOp::Sqrt, x))
}

/// Computes `f(x)`, but zero without a gradient where `x` is zero: `f` has an infinite slope there.
fn but_zero<B: Backend>(x: B::Tensor, f: impl FnOnce(B::Tensor) -> B::Tensor) -> B::Tensor {
    let zero = B::compare_scalar(CompareOp::Equal, x.clone(), Scalar::Int(0));
    let y = f(B::mask_fill(x, zero.clone(), Scalar::Int(1)));
    B::mask_fill(y, zero, Scalar::Int(0))
}

/// Matrix norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// `sqrt(sum x^2)`.
    Frobenius,
    /// The sum of the singular values.
    Nuclear,
    /// The largest singular value.
    Spectral,
    /// The largest sum of magnitudes of a column.
    One,
    /// The largest sum of magnitudes of a row.
    Inf,
}

/// Computes the norm of matrices: `[.., m, n]` gives `[.., 1, 1]`. PyTorch:
/// `torch.linalg.matrix_norm(keepdim=True)`.
///
/// # Errors
/// When the rank is below 2, a matrix without elements has no largest one, or an element is not finite where
/// singular values are read.
#[fallible]
pub fn try_matrix_norm<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    norm: MatrixNorm,
) -> Result<Tensor<B, D>, TensorError> {
    matrices("matrix_norm", &x.shape())?;
    let (row, column) = (D - 2, D - 1);
    match norm {
        MatrixNorm::Frobenius => try_norm_dims(x, Norm::L2, &[row, column]),
        MatrixNorm::One => x.abs().try_sum_dim(row)?.try_max_dim(column),
        MatrixNorm::Inf => x.abs().try_sum_dim(column)?.try_max_dim(row),
        MatrixNorm::Nuclear => value_factors(x)?.1.try_sum_dim(column),
        MatrixNorm::Spectral => value_factors(x)?.1.try_max_dim(column),
    }
}
