use super::diagonal::embedded;
use super::failure::exists;
use super::size::{block, columns_of, epsilon, matrices, numbers, ranked, row, rows};
use crate::check::check;
use crate::options::index_type;
use crate::{Int, Tensor, TensorError, TensorKind};
use burn_backend::ops::{add, transpose};
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, Dims, Factorization, HasSpec, Linalg, Operation, ReduceOp, Scalar,
    Shape, TensorSpec,
};
use burn_derive::fallible;

/// Computes the stacked factors, or returns an error if a matrix has none.
#[track_caller]
fn factors<B: Backend>(
    op: Factorization,
    x: B::Tensor,
    reason: &'static str,
) -> Result<B::Tensor, TensorError> {
    check(&Operation::Linalg(Linalg::Factorize { op, x: x.spec() }))?;
    let found = B::factorize(op, x.clone());
    exists::<B>(op.name(), &found, &x, reason)?;
    Ok(found)
}

/// Computes the Cholesky factor: `x = L L^T` with `L` lower triangular and a positive diagonal, `[.., n, n]`.
/// The factor is that of `(x + x^T) / 2`. PyTorch: `torch.linalg.cholesky`.
///
/// ```
/// use burn::tensor::{Tensor, TensorError, backend::Backend, linalg};
/// fn whiten<B: Backend>(covariance: Tensor<B, 2>, x: Tensor<B, 2>) -> Result<Tensor<B, 2>, TensorError> {
///     let lower = linalg::try_cholesky(covariance)?;
///     linalg::try_solve_triangular(lower, x, false, false)
/// }
/// ```
///
/// # Errors
/// When the matrices are not square, or one is not positive definite: that is read from the device.
#[fallible]
pub fn try_cholesky<B: Backend, const D: usize>(x: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    Ok(Tensor::from_handle(factors::<B>(
        Factorization::Cholesky,
        x.into_handle(),
        "is not positive definite",
    )?))
}

/// [`cholesky`] that reads nothing from the device: NaN for matrices that are not positive definite. PyTorch:
/// `torch.linalg.cholesky_ex`.
///
/// # Errors
/// When the matrices are not square.
#[fallible]
pub fn try_cholesky_unchecked<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    check(&Operation::Linalg(Linalg::Factorize { op: Factorization::Cholesky, x: x.spec() }))?;
    Ok(Tensor::from_handle(B::factorize(Factorization::Cholesky, x.into_handle())))
}

/// Computes the QR decomposition `x = Q R`, `Q` with orthonormal columns and `R` upper triangular with a
/// diagonal that is not negative: `[.., m, n]` gives `[.., m, k]` and `[.., k, n]` with `k = min(m, n)`.
/// Gradients need the first `k` columns to be independent. PyTorch: `torch.linalg.qr`, which leaves the signs
/// open.
///
/// # Errors
/// When the rank is below 2.
#[fallible]
pub fn try_qr<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    let (m, n) = matrices("qr", &x.shape())?;
    check(&Operation::Linalg(Linalg::Factorize { op: Factorization::Qr, x: x.spec() }))?;
    let stacked = B::factorize(Factorization::Qr, x.into_handle());
    let (q, r) = (rows::<B>(&stacked, 0..m), columns_of::<B>(&stacked, m..m + n));
    Ok((Tensor::from_handle(q), Tensor::from_handle(r)))
}

/// Computes the factors of `x = Q R` with all columns of `Q`: `[.., m, n]` gives an orthogonal `Q: [.., m,
/// m]` and `R: [.., m, n]`, upper triangular with a diagonal that is not negative. PyTorch:
/// `torch.linalg.qr(mode='complete')`.
///
/// Where `m > n`, the columns of `Q` from `n` on are some basis of the space that is orthogonal to the
/// columns of `x`, and the rows of `R` from `n` on are zeros. Gradients are those of [`qr`]; none flows to
/// that basis, which `x` does not determine (PyTorch refuses a backward pass through `R` too).
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn normal_of_plane<B: Backend>(directions: Tensor<B, 2>) -> Tensor<B, 2> {
///     let (q, _) = linalg::qr_complete(directions);
///     q.narrow(1, 2, 1)
/// }
/// ```
///
/// # Errors
/// When the rank is below 2.
#[fallible]
pub fn try_qr_complete<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, D>), TensorError> {
    let shape = x.shape();
    let (m, n) = matrices("qr_complete", &shape)?;
    let (q, r) = try_qr(x)?;
    if m <= n {
        return Ok((q, r));
    }
    // Columns of zeros are reflected onto nothing, so `Q` of `[Q 0]` begins with `Q` and goes on with a basis
    // of the rest.
    let (row, column, options) = (D - 2, D - 1, (&q.device(), q.dtype()));
    let zero_columns = Tensor::try_zeros(shape.with(column, m - n), options)?;
    let (all, _) = try_qr(Tensor::try_cat([q.clone().detach(), zero_columns].into(), column)?)?;
    let zero_rows = Tensor::try_zeros(shape.with(row, m - n), options)?;
    let rest = all.try_narrow(column, n, m - n)?;
    Ok((Tensor::try_cat([q, rest].into(), column)?, Tensor::try_cat([r, zero_rows].into(), row)?))
}

/// Computes the singular value decomposition `x = U diag(s) V^T`, with orthonormal columns in `U` and `V`,
/// and `s` descending: `[.., m, n]` gives `U: [.., m, k]`, `s: [.., k]` and `V^T: [.., k, n]` with `k =
/// min(m, n)`, where `E` is `D - 1`. The largest element of each column of `U` is positive. PyTorch:
/// `torch.linalg.svd(full_matrices=False)`, which leaves the signs open.
///
/// Gradients of `U` and `V` need singular values that are distinct, and not zero where `m` and `n` differ;
/// those of `s` alone do not.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn rank_one<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
///     let (u, s, vt) = linalg::svd::<B, 2, 1>(x);
///     (u.narrow(1, 0, 1) * s.narrow(0, 0, 1).unsqueeze::<2>()).matmul(vt.narrow(0, 0, 1))
/// }
/// ```
///
/// # Errors
/// When the rank is below 2, `E` is not `D - 1`, or an element is not finite: that is read from the device.
#[fallible]
#[allow(clippy::type_complexity)]
pub fn try_svd<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, E>, Tensor<B, D>), TensorError> {
    let (m, n) = matrices("svd", &x.shape())?;
    let stacked =
        factors::<B>(Factorization::Svd, x.into_handle(), "has singular values that do not converge")?;
    let (u, vt) = (rows::<B>(&stacked, 0..m), columns_of::<B>(&stacked, m + 1..m + 1 + n));
    Ok((Tensor::from_handle(u), ranked("svd", row::<B>(&stacked, m))?, Tensor::from_handle(vt)))
}

/// Computes the singular values, descending: `[.., m, n]` gives `[.., min(m, n)]`, where `E` is `D - 1`.
/// PyTorch: `torch.linalg.svdvals`.
///
/// # Errors
/// As [`svd`].
#[fallible]
pub fn try_svdvals<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<Tensor<B, E>, TensorError> {
    Ok(try_svd::<B, D, E>(x)?.1)
}

/// Computes the eigenvalues and eigenvectors of symmetric matrices, `x = V diag(w) V^T`, with `w` ascending
/// and orthonormal columns in `V`: `[.., n, n]` gives `w: [.., n]` and `V: [.., n, n]`, where `E` is `D - 1`.
/// They are those of `(x + x^T) / 2`; the largest element of each vector is positive. PyTorch:
/// `torch.linalg.eigh`, which leaves the signs open.
///
/// Gradients of `V` need eigenvalues that are distinct; those of `w` alone do not.
///
/// # Errors
/// When the matrices are not square, `E` is not `D - 1`, or an element is not finite: that is read from the
/// device.
#[fallible]
pub fn try_eigh<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, E>, Tensor<B, D>), TensorError> {
    let stacked = factors::<B>(Factorization::Eigh, x.into_handle(), "has eigenvalues that do not converge")?;
    let size = stacked.spec().shape[D - 1];
    Ok((ranked("eigh", row::<B>(&stacked, size))?, Tensor::from_handle(rows::<B>(&stacked, 0..size))))
}

/// Computes the eigenvalues of symmetric matrices, ascending: `[.., n, n]` gives `[.., n]`, where `E` is `D -
/// 1`. PyTorch: `torch.linalg.eigvalsh`.
///
/// # Errors
/// As [`eigh`].
#[fallible]
pub fn try_eigvalsh<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<Tensor<B, E>, TensorError> {
    Ok(try_eigh::<B, D, E>(x)?.0)
}

/// Computes the packed LU factors of `x[rows] = L U` with partial pivoting, and the row permutation: `[.., m,
/// n]` gives `[.., m, n]`, with `L` below the diagonal (its own is ones) and `U` on and above it, and `[..,
/// m]`, where `E` is `D - 1`. PyTorch: `torch.linalg.lu_factor`, whose pivots are the exchanges one after the
/// other, from 1.
///
/// # Errors
/// When the rank is below 2, or `E` is not `D - 1`.
#[fallible]
pub fn try_lu_factor<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, E, Int>), TensorError> {
    let index = Int::dtype::<B>();
    check(&Operation::Linalg(Linalg::Lu { x: x.spec(), index }))?;
    let (packed, order) = B::lu(x.into_handle(), index);
    Ok((Tensor::from_handle(packed), ranked("lu_factor", order)?))
}

/// [`lu_factor`] of one matrix: the packed LU factors of `x[rows] = L U`, `[m, n]`, and the row permutation,
/// `[m]`. PyTorch: `torch.linalg.lu_factor`, whose pivots are the exchanges one after the other, from 1.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::{Tensor, TensorData, linalg};
/// let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [2.0, 8.0]], &Default::default());
/// let (packed, rows) = linalg::lu_decomposition(x);
/// assert_eq!(packed.into_data(), TensorData::from([[2.0_f32, 8.0], [0.5, -2.0]]));
/// assert_eq!(rows.into_data(), TensorData::from([1_i64, 0]));
/// ```
///
/// # Errors
/// When there is no memory for the factors.
#[fallible]
pub fn try_lu_decomposition<B: Backend>(
    x: Tensor<B, 2>,
) -> Result<(Tensor<B, 2>, Tensor<B, 1, Int>), TensorError> {
    try_lu_factor(x)
}

/// Computes the LU decomposition `x = P L U`: a permutation, a lower triangle with a diagonal of ones, and an
/// upper triangle. `[.., m, n]` gives `[.., m, m]`, `[.., m, k]` and `[.., k, n]` with `k = min(m, n)`.
/// Gradients flow through `L` and `U`. PyTorch: `torch.linalg.lu`.
///
/// # Errors
/// When the rank is below 2.
#[fallible]
#[allow(clippy::type_complexity)]
pub fn try_lu<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, D>, Tensor<B, D>), TensorError> {
    let (m, n) = matrices("lu", &x.shape())?;
    check(&Operation::Linalg(Linalg::Lu { x: x.spec(), index: DType::I64 }))?;
    let (dtype, k) = (x.dtype(), m.min(n));
    let device = x.device();
    let (packed, order) = B::lu(x.into_handle(), index_type::<B>(&device));
    let line: Shape = order.shape()[..D - 2].iter().copied().chain([1, m]).collect();
    let spec = TensorSpec::new([m], order.dtype());
    let count = B::range(spec, Scalar::Int(0), Scalar::Int(1), &device);
    let hits = B::compare(CompareOp::Equal, B::reshape(count, [m, 1].into()), B::reshape(order, line));
    let left = Tensor::<B, D>::from_handle(block::<B>(&packed, 0..m, 0..k)).try_tril(-1)?;
    let ones = B::full(TensorSpec::new([k], dtype), Scalar::Int(1), &B::device(&packed));
    let mut lower = left.into_handle();
    let one = embedded::<B>(ones);
    let padding = B::full(TensorSpec::new([m - k, k], dtype), Scalar::Int(0), &B::device(&one));
    let one = if m > k { B::cat([one, padding].into(), 0) } else { one };
    lower = add::<B>(lower, one);
    let upper = Tensor::from_handle(block::<B>(&packed, 0..k, 0..n)).try_triu(0)?;
    Ok((Tensor::from_handle(B::cast(hits, dtype)), Tensor::from_handle(lower), upper))
}

/// Computes the rank: the number of singular values larger than `tolerance` times the largest: `[.., m, n]`
/// gives one number for each matrix, `[..]` (`E = D - 2`) or `[.., 1]` (`E = D - 1`). Without a tolerance,
/// `max(m, n)` times the precision of the elements. PyTorch: `torch.linalg.matrix_rank(rtol=tolerance)`.
///
/// # Errors
/// As [`svd`].
#[fallible]
pub fn try_matrix_rank<B: Backend, const D: usize, const E: usize>(
    x: Tensor<B, D>,
    tolerance: Option<f64>,
) -> Result<Tensor<B, E, Int>, TensorError> {
    let (shape, dtype) = (x.shape(), x.dtype());
    let (m, n) = matrices("matrix_rank", &shape)?;
    let batch = &shape[..D - 2];
    if m.min(n) == 0 {
        let zero = TensorSpec::new(Shape::from(batch), Int::dtype::<B>());
        return numbers("matrix_rank", B::full(zero, Scalar::Int(0), &x.device()), batch);
    }
    let stacked =
        factors::<B>(Factorization::Svd, x.into_handle(), "has singular values that do not converge")?;
    let values = row::<B>(&B::detach(stacked), m);
    let last = Dims::from([D - 2]);
    let largest = B::reduce(ReduceOp::Max, values.clone(), last.clone());
    let tolerance = tolerance.unwrap_or(m.max(n) as f64 * epsilon(dtype));
    let limit = B::binary_scalar(BinaryOp::Mul, largest, Scalar::Float(tolerance));
    let above = B::cast(B::compare(CompareOp::Greater, values, limit), Int::dtype::<B>());
    numbers("matrix_rank", B::reduce(ReduceOp::Sum, above, last), batch)
}

/// Computes `U`, the singular values in a row of each matrix, and `V^T`.
#[track_caller]
#[allow(clippy::type_complexity)]
pub(super) fn value_factors<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<(Tensor<B, D>, Tensor<B, D>, Tensor<B, D>), TensorError> {
    let (m, n) = matrices("svd", &x.shape())?;
    let stacked =
        factors::<B>(Factorization::Svd, x.into_handle(), "has singular values that do not converge")?;
    let (u, vt) = (rows::<B>(&stacked, 0..m), columns_of::<B>(&stacked, m + 1..m + 1 + n));
    let values = Tensor::from_handle(rows::<B>(&stacked, m..m + 1));
    Ok((Tensor::from_handle(u), values, Tensor::from_handle(vt)))
}

/// Returns the transposed matrices.
pub(super) fn turned<B: Backend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    Tensor::from_handle(transpose::<B>(x.into_handle()))
}
