use super::factor::{try_qr, turned, value_factors};
use super::failure::{exists, first_nan, read};
use super::size::{epsilon, matrices, square};
use crate::check::{check, ensure, together};
use crate::{Tensor, TensorError};
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, HasSpec, Linalg, Operation, ReduceOp, Scalar, TensorSpec, Triangle,
    UnaryOp,
};
use burn_derive::fallible;

const SINGULAR: &str = "is singular";

/// Computes the solution of `a x = b`, by elimination: `a: [.., n, n]` and `b: [.., n, k]` give `[.., n, k]`;
/// the dimensions before broadcast. PyTorch: `torch.linalg.solve`.
///
/// ```
/// use burn::tensor::{Tensor, TensorError, backend::Backend, linalg};
/// fn newton_step<B: Backend>(hessian: Tensor<B, 2>, gradient: Tensor<B, 1>) -> Result<Tensor<B, 1>, TensorError> {
///     let step = linalg::try_solve(hessian, gradient.unsqueeze_dim::<2>(1))?;
///     Ok(step.squeeze_dim::<1>(1))
/// }
/// ```
///
/// # Errors
/// When the shapes do not fit, or a matrix is singular: that is read from the device.
#[fallible]
pub fn try_solve<B: Backend, const D: usize>(
    a: Tensor<B, D>,
    b: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    let found = try_solve_unchecked(a.clone(), b)?.into_handle();
    if first_nan::<B>(&found)?.is_some() {
        // The right side may be what is not a number.
        let (zeros, a) = (zero_column(&a), a.into_handle());
        let test = B::solve(B::detach(a.clone()), zeros);
        exists::<B>("solve", &test, &a, SINGULAR)?;
    }
    Ok(Tensor::from_handle(found))
}

/// [`solve`] that reads nothing from the device: NaN where a matrix is singular. PyTorch:
/// `torch.linalg.solve_ex`.
///
/// # Errors
/// When the shapes do not fit.
#[fallible]
pub fn try_solve_unchecked<B: Backend, const D: usize>(
    a: Tensor<B, D>,
    b: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    let (a, b) = (a.into_handle(), b.into_handle());
    check(&Operation::Linalg(Linalg::Solve { a: a.spec(), b: b.spec() }))?;
    together::<B>("solve", &a, &[&b])?;
    Ok(Tensor::from_handle(B::solve(a, b)))
}

/// Computes the solution of `a x = b` with `a` upper or lower triangular; its other part is not read, nor its
/// diagonal if that is ones (`unit`). Shapes as of [`solve`]. NaN where the diagonal has a zero. PyTorch:
/// `torch.linalg.solve_triangular`.
///
/// # Errors
/// When the shapes do not fit.
#[fallible]
pub fn try_solve_triangular<B: Backend, const D: usize>(
    a: Tensor<B, D>,
    b: Tensor<B, D>,
    upper: bool,
    unit: bool,
) -> Result<Tensor<B, D>, TensorError> {
    let triangle = Triangle { upper, unit };
    let (a, b) = (a.into_handle(), b.into_handle());
    check(&Operation::Linalg(Linalg::SolveTriangular { a: a.spec(), b: b.spec(), triangle }))?;
    together::<B>("solve_triangular", &a, &[&b])?;
    Ok(Tensor::from_handle(B::solve_triangular(a, b, triangle)))
}

/// Computes the inverse, `x x^-1 = 1`: `[.., n, n]`. To apply an inverse once, [`solve`] is better. PyTorch:
/// `torch.linalg.inv`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// fn mahalanobis<B: Backend>(x: Tensor<B, 2>, covariance: Tensor<B, 2>) -> Tensor<B, 2> {
///     (x.clone().matmul(linalg::inverse(covariance)) * x).sum_dim(1).sqrt()
/// }
/// ```
///
/// # Errors
/// When the matrices are not square, or one is singular: that is read from the device.
#[fallible]
pub fn try_inverse<B: Backend, const D: usize>(x: Tensor<B, D>) -> Result<Tensor<B, D>, TensorError> {
    square("inverse", &x.shape())?;
    let found = try_inverse_unchecked(x.clone())?.into_handle();
    exists::<B>("inverse", &found, &x.into_handle(), SINGULAR)?;
    Ok(Tensor::from_handle(found))
}

/// [`inverse`] that reads nothing from the device: NaN for singular matrices. PyTorch: `torch.linalg.inv_ex`.
///
/// # Errors
/// When the matrices are not square.
#[fallible]
pub fn try_inverse_unchecked<B: Backend, const D: usize>(
    x: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    let size = square("inverse", &x.shape())?;
    let ones = B::full(TensorSpec::new([size], x.dtype()), Scalar::Int(1), &x.device());
    Ok(Tensor::from_handle(B::solve(x.into_handle(), super::diagonal::embedded::<B>(ones))))
}

/// Computes the least-squares solution `x` that minimizes `|a x - b|`, for matrices `a: [.., m, n]` of full
/// rank: `b: [.., m, k]` gives `[.., n, k]`. By a QR factorisation. PyTorch:
/// `torch.linalg.lstsq(driver="gels")`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, linalg};
/// /// Slope and offset of the line through points.
/// fn line<B: Backend>(x: Tensor<B, 1>, y: Tensor<B, 1>) -> Tensor<B, 2> {
///     let columns = vec![x.clone(), x.ones_like()];
///     linalg::lstsq(Tensor::stack::<2>(columns, 1), y.unsqueeze_dim(1))
/// }
/// ```
///
/// # Errors
/// When the shapes do not fit, or a matrix has not full rank: that is read from the device.
#[fallible]
pub fn try_lstsq<B: Backend, const D: usize>(
    a: Tensor<B, D>,
    b: Tensor<B, D>,
) -> Result<Tensor<B, D>, TensorError> {
    let ((m, n), (rows, _)) = (matrices("lstsq", &a.shape())?, matrices("lstsq", &b.shape())?);
    ensure!(
        m == rows,
        "lstsq",
        "the matrix {:?} has {m} rows, the right side {:?} has {rows}",
        a.shape(),
        b.shape()
    );
    ensure!(a.dtype() == b.dtype(), "lstsq", "dtypes differ: {} and {}; use cast", a.dtype(), b.dtype());
    let (q, r) = try_qr(if m >= n { a.clone() } else { turned(a.clone()) })?;
    let found = if m >= n {
        try_solve_triangular(r.clone(), turned(q).try_matmul(b)?, true, false)?
    } else {
        q.try_matmul(try_solve_triangular(turned(r.clone()), b, false, false)?)?
    };
    let found = found.into_handle();
    if first_nan::<B>(&found)?.is_some() {
        // The right side may be what is not a number.
        let zeros = zero_column(&r);
        let triangle = Triangle { upper: true, unit: false };
        let test = B::solve_triangular(B::detach(r.into_handle()), zeros, triangle);
        exists::<B>("lstsq", &test, &a.into_handle(), "has not full rank")?;
    }
    Ok(Tensor::from_handle(found))
}

/// Creates a right side of zeros for square matrices.
fn zero_column<B: Backend, const D: usize>(a: &Tensor<B, D>) -> B::Tensor {
    B::full(TensorSpec::new(a.shape().with(D - 1, 1), a.dtype()), Scalar::Int(0), &a.device())
}

/// Computes the Moore-Penrose pseudoinverse: the inverse where there is one, otherwise the minimum-norm
/// least-squares solution. `[.., m, n]` gives `[.., n, m]`. Singular values up to `tolerance` times the
/// largest count as zero; without a tolerance, `max(m, n)` times the precision of the elements. PyTorch:
/// `torch.linalg.pinv(rtol=tolerance)`.
///
/// Gradients of matrices without full rank need singular values that are distinct.
///
/// # Errors
/// When the rank is below 2, or an element is not finite: the singular values are read from the device.
#[fallible]
pub fn try_pinv<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    tolerance: Option<f64>,
) -> Result<Tensor<B, D>, TensorError> {
    let (shape, dtype) = (x.shape(), x.dtype());
    let (m, n) = matrices("pinv", &shape)?;
    if shape.num_elements() == 0 {
        return Ok(turned(x));
    }
    let (u, values, vt) = value_factors(x.clone())?;
    let tolerance = tolerance.unwrap_or(m.max(n) as f64 * epsilon(dtype));
    let limit = values.clone().detach().try_max_dim(D - 1)?.into_handle();
    let limit = B::binary_scalar(BinaryOp::Mul, limit, Scalar::Float(tolerance));
    let small = B::compare(CompareOp::LessEqual, values.clone().into_handle(), limit);
    let any = B::reduce(ReduceOp::Any, small.clone(), (0..D).collect());
    if read::<B>(B::cast(any, DType::F32))?.iter().all(|&any| any == 0.0) {
        // Full rank: use QR, whose gradient is also defined where singular values are equal.
        return if m >= n {
            let (q, r) = try_qr(x)?;
            try_solve_triangular(r, turned(q), true, false)
        } else {
            let (q, r) = try_qr(turned(x))?;
            Ok(turned(try_solve_triangular(r, turned(q), true, false)?))
        };
    }
    let kept = B::mask_fill(values.into_handle(), small.clone(), Scalar::Int(1));
    let inverse = B::mask_fill(B::unary(UnaryOp::Recip, kept), small, Scalar::Int(0));
    turned(vt).try_mul(Tensor::from_handle(inverse))?.try_matmul(turned(u))
}
