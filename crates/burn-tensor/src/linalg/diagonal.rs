use super::size::{block, epsilon, matrices, numbers, ranked, square};
use crate::check::{check, ensure};
use crate::options::index_type;
use crate::{Numeric, Tensor, TensorError, TensorKind};
use burn_backend::ops::{add, mul, scale, sub};
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, Dims, HasSpec, Linalg, Operation, ReduceOp, Scalar, Shape,
    TensorSpec, UnaryOp,
};
use burn_derive::fallible;

/// Creates `0, 1, .., size - 1`, reshaped to `shape`.
fn count<B: Backend>(size: usize, shape: Shape, like: &B::Tensor) -> B::Tensor {
    let device = B::device(like);
    let spec = TensorSpec::new([size], index_type::<B>(&device));
    B::reshape(B::range(spec, Scalar::Int(0), Scalar::Int(1), &device), shape)
}

/// Returns the diagonals, `[.., min(m, n)]`.
pub(super) fn diagonal<B: Backend>(x: &B::Tensor) -> B::Tensor {
    let shape = x.shape();
    let rank = shape.rank();
    let size = shape[rank - 2].min(shape[rank - 1]);
    let column: Shape = shape.with(rank - 2, size).with(rank - 1, 1);
    let places = B::expand(count::<B>(size, [size, 1].into(), x), column.clone());
    let found = B::gather(block::<B>(x, 0..size, 0..shape[rank - 1]), rank - 1, places);
    B::reshape(found, column[..rank - 1].into())
}

/// Lists `[.., n]` as diagonal matrices.
pub(super) fn embedded<B: Backend>(x: B::Tensor) -> B::Tensor {
    let shape = x.shape();
    let size = shape[shape.rank() - 1];
    let row: Shape = shape[..shape.rank() - 1].iter().copied().chain([1, size]).collect();
    let wide = row.with(shape.rank() - 1, size);
    let line = |shape: [usize; 2]| count::<B>(size, shape.into(), &x);
    let off = B::compare(CompareOp::NotEqual, line([size, 1]), line([1, size]));
    B::mask_fill(B::expand(B::reshape(x, row), wide), off, Scalar::Int(0))
}

/// Extracts the diagonal of matrices, or builds matrices with this diagonal, by the rank `E` of the result.
/// PyTorch: `torch.diag`.
///
/// ```text
/// [.., m, n] -> [.., min(m, n)]   (E = D - 1; PyTorch: torch.diagonal)
/// [.., n] -> [.., n, n]           (E = D + 1; PyTorch: torch.diag_embed)
/// ```
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn traceless<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
///     let diagonal: Tensor<B, 1> = linalg::diag(x.clone());
///     let mean = diagonal.clone().mean().expand(diagonal.shape());
///     x - linalg::diag::<B, 1, 2, _>(mean)
/// }
/// ```
///
/// # Errors
/// When `E` is neither, or a diagonal is asked of a tensor of rank below 2.
#[fallible]
pub fn try_diag<B: Backend, const D: usize, const E: usize, K: TensorKind>(
    x: Tensor<B, D, K>,
) -> Result<Tensor<B, E, K>, TensorError> {
    ensure!(
        D + 1 == E || E + 1 == D,
        "diag",
        "of rank {D} the result has rank {} or {}, not {E}",
        D.saturating_sub(1),
        D + 1
    );
    if E < D {
        matrices("diag", &x.shape())?;
        return ranked("diag", diagonal::<B>(&x.into_handle()));
    }
    ensure!(D >= 1, "diag", "needs a list, at least rank 1");
    let wide = x.shape().num_elements().checked_mul(x.dims()[D - 1]);
    ensure!(
        wide.is_some(),
        "diag",
        "matrices with diagonals {:?} have more elements than memory can hold",
        x.shape()
    );
    ranked("diag", embedded::<B>(x.into_handle()))
}

/// Computes the sum of the diagonal, `sum_i x_ii`: `[.., m, n]` gives one number for each matrix, `[..]` (`E
/// = D - 2`) or `[.., 1]` (`E = D - 1`). PyTorch: `torch.trace`.
///
/// # Errors
/// When the rank is below 2, or `E` is neither.
#[fallible]
pub fn try_trace<B: Backend, const D: usize, const E: usize, K: Numeric>(
    x: Tensor<B, D, K>,
) -> Result<Tensor<B, E, K>, TensorError> {
    let shape = x.shape();
    matrices("trace", &shape)?;
    let sum = B::reduce(ReduceOp::Sum, diagonal::<B>(&x.into_handle()), Dims::from([D - 2]));
    numbers("trace", sum, &shape[..D - 2])
}

/// Returns 1 or -1 for an even or odd order of rows, `[.., n]`, each `[.., 1]`, of `dtype`.
fn parity<B: Backend>(order: B::Tensor, dtype: DType) -> B::Tensor {
    let (shape, index) = (order.shape(), order.dtype());
    let (rank, size) = (shape.rank(), shape[shape.rank() - 1]);
    let column: Shape = shape.iter().copied().chain([1]).collect();
    let row: Shape = shape[..rank - 1].iter().copied().chain([1, size]).collect();
    let line = |shape: [usize; 2]| count::<B>(size, shape.into(), &order);
    let later = B::compare(CompareOp::Greater, line([1, size]), line([size, 1]));
    let smaller = B::compare(CompareOp::Less, B::reshape(order.clone(), row), B::reshape(order, column));
    let swapped = B::cast(B::binary(BinaryOp::And, smaller, later), index);
    let count = B::reduce(ReduceOp::Sum, swapped, Dims::from([rank - 1, rank]));
    let odd = B::binary_scalar(BinaryOp::Remainder, count, Scalar::Int(2));
    let sign = B::binary_scalar(BinaryOp::Sub, scale::<B>(B::cast(odd, dtype), -2.0), Scalar::Int(-1));
    B::reshape(sign, shape.with(rank - 1, 1))
}

/// Returns the pivots, `[.., n]`, and the sign of their order, `[.., 1]`.
fn pivots<B: Backend>(x: B::Tensor) -> (B::Tensor, B::Tensor) {
    let dtype = x.dtype();
    let index = index_type::<B>(&B::device(&x));
    let (packed, order) = B::lu(x, index);
    (diagonal::<B>(&packed), parity::<B>(order, dtype))
}

/// Computes determinants by elimination: `[.., n, n]` gives one number for each matrix, `[..]` (`E = D - 2`)
/// or `[.., 1]` (`E = D - 1`). Of a matrix of size 0 it is 1. PyTorch: `torch.linalg.det`.
///
/// The gradient is that of the determinant also where it is 0: the matrix of cofactors.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn areas<B: Backend>(parallelograms: Tensor<B, 3>) -> Tensor<B, 1> {
///     linalg::det(parallelograms).abs()
/// }
/// ```
///
/// # Errors
/// When the matrices are not square, or `E` is neither.
#[fallible]
pub fn try_det<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<Tensor<B, E>, TensorError> {
    let (shape, dtype) = (x.shape(), x.dtype());
    square("det", &shape)?;
    let (pivots, sign) = pivots::<B>(x.into_handle());
    // A pivot of zero is taken for a tiny one, which the gradient divides by again, and the product for what
    // it is.
    let zero = B::compare_scalar(CompareOp::Equal, pivots.clone(), Scalar::Int(0));
    let any = B::reduce(ReduceOp::Any, zero.clone(), Dims::from([D - 2]));
    let tiny = B::mask_fill(
        B::full(pivots.spec().clone(), Scalar::Int(0), &B::device(&pivots)),
        zero,
        Scalar::Float(epsilon(dtype)),
    );
    let product = B::reduce(ReduceOp::Prod, add::<B>(pivots, tiny), Dims::from([D - 2]));
    let nothing = sub::<B>(product.clone(), B::detach(product.clone()));
    let product = B::mask_where(any, nothing, product);
    numbers("det", mul::<B>(product, sign), &shape[..D - 2])
}

/// Computes the sign and the logarithm of the magnitude of determinants: `det = sign e^log`, also where `det`
/// would overflow or underflow. A singular matrix gives `(0, -inf)`. Shapes as of [`det`]. PyTorch:
/// `torch.linalg.slogdet`.
///
/// # Errors
/// As [`det`].
#[fallible]
pub fn try_slogdet<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, E>, Tensor<B, E>), TensorError> {
    let shape = x.shape();
    square("slogdet", &shape)?;
    check(&Operation::Linalg(Linalg::Lu { x: x.spec(), index: DType::I64 }))?;
    let (pivots, sign) = pivots::<B>(x.into_handle());
    let last = Dims::from([D - 2]);
    let signs = B::unary(UnaryOp::Sign, B::detach(pivots.clone()));
    let sign = mul::<B>(B::reduce(ReduceOp::Prod, signs, last.clone()), sign);
    let logs = B::unary(UnaryOp::Log, B::unary(UnaryOp::Abs, pivots));
    let log = B::reduce(ReduceOp::Sum, logs, last);
    Ok((numbers("slogdet", sign, &shape[..D - 2])?, numbers("slogdet", log, &shape[..D - 2])?))
}
