//! Factorisations and systems of equations, by LAPACK in LibTorch, with the signs that the definitions fix.
//! Halves are computed as floats of 32 bits.

use crate::library::Torch;
use crate::memory::{copied, in_order};
use crate::reduce::is_half;
use crate::sizes::sizes;
use crate::tensor::TchTensor;
use crate::{cast, create, kernel};
use burn_backend::{DType, Factorization, HasSpec, Linalg, Operation, Scalar, Shape, Triangle, output_specs};
use burn_library_backend::{Kernels, result};
use tch::{Kind, TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Whether all elements of each matrix are finite, and the matrices with zeros for those that are not.
fn finite(x: &Tensor) -> Result<(Tensor, Tensor)> {
    let is_finite = x.f_isfinite()?.f_all_dims(&[-2_i64, -1][..], true)?;
    Ok((is_finite, in_order(x)?.f_nan_to_num(0.0, 0.0, 0.0)?))
}

/// NaN in all elements of the matrices where `is_valid`, of shape `[.., 1, 1]`, is not true.
fn or_nan(x: &Tensor, is_valid: &Tensor) -> Result<Tensor> {
    x.f_masked_fill(&is_valid.f_logical_not()?, f64::NAN)
}

/// Whether LAPACK has found nothing wrong with each matrix.
fn succeeded(info: &Tensor) -> Result<Tensor> {
    info.f_eq(0)?.f_unsqueeze(-1)?.f_unsqueeze(-1)
}

fn symmetric(x: &Tensor) -> Result<Tensor> {
    x.f_mul_scalar(0.5)?.f_add(&x.f_transpose(-2, -1)?.f_mul_scalar(0.5)?)
}

/// -1 for negative numbers, else 1.
fn direction(x: &Tensor) -> Result<Tensor> {
    x.f_lt(0.0)?.f_to_kind(x.f_kind()?)?.f_mul_scalar(-2.0)?.f_add_scalar(1.0)
}

/// Factors that make the largest element of each column positive, of several the first: `[.., 1, k]`.
fn upright(columns: &Tensor) -> Result<Tensor> {
    let places = columns.f_abs()?.f_max_dim(-2, true)?.1;
    direction(&columns.f_gather(-2, &places, false)?)
}

#[track_caller]
pub fn factorize(op: Factorization, x: TchTensor) -> TchTensor {
    let dtype = x.dtype();
    if is_half(dtype) {
        return cast::cast(factorize(op, cast::cast(x, DType::F32)), dtype);
    }
    let spec = result(&Operation::Linalg(Linalg::Factorize { op, x: &x }));
    if spec.shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), x.device());
    }
    Torch::run(op.name(), x.device(), spec, || {
        let (is_finite, x) = finite(x.tch())?;
        match op {
            Factorization::Cholesky => {
                let (lower, info) = symmetric(&x)?.f_linalg_cholesky_ex(false, false)?;
                or_nan(&lower, &is_finite.f_logical_and(&succeeded(&info)?)?)
            }
            Factorization::Qr => or_nan(&qr(&x)?, &is_finite),
            Factorization::Svd => {
                let (u, s, v) = x.f_svd(true, true)?;
                let signs = upright(&u)?;
                let stacked = [u.f_mul(&signs)?, s.f_unsqueeze(-2)?, v.f_mul(&signs)?];
                or_nan(&Tensor::f_cat(&stacked, -2)?, &is_finite)
            }
            Factorization::Eigh => {
                let (values, vectors) = symmetric(&x)?.f_linalg_eigh("L")?;
                let vectors = vectors.f_mul(&upright(&vectors)?)?;
                or_nan(&Tensor::f_cat(&[vectors, values.f_unsqueeze(-2)?], -2)?, &is_finite)
            }
        }
    })
}

/// `Q` over `R^T`, where the diagonal of `R` is not negative.
fn qr(x: &Tensor) -> Result<Tensor> {
    let (q, r) = Tensor::f_linalg_qr(x, "reduced")?;
    let signs = direction(&r.f_diagonal(0, -2, -1)?)?.f_unsqueeze(-2)?;
    Tensor::f_cat(&[q.f_mul(&signs)?, r.f_transpose(-2, -1)?.f_mul(&signs)?], -2)
}

#[track_caller]
pub fn lu(x: TchTensor, index: DType) -> (TchTensor, TchTensor) {
    let dtype = x.dtype();
    if is_half(dtype) {
        let (packed, rows) = lu(cast::cast(x, DType::F32), index);
        return (cast::cast(packed, dtype), rows);
    }
    let op = Operation::Linalg(Linalg::Lu { x: &x, index: DType::I64 });
    let (spec, rows) = output_specs(&op).unwrap_or_else(|error| panic!("{error}")).two();
    let (size, batch) = (rows.shape[rows.shape.rank() - 1], sizes(&rows.shape));
    let (packed, rows) = kernel::two("lu", x.device(), [spec, rows], || {
        let x = x.tch();
        let in_order_of_rows =
            Tensor::f_arange(size as i64, (Kind::Int64, x.device()))?.f_expand(&batch[..], false)?;
        if x.numel() == 0 {
            return Ok((copied(x)?, in_order_of_rows.f_contiguous()?));
        }
        let (is_finite, x) = finite(x)?;
        let (packed, pivots, _) = Tensor::f_linalg_lu_factor_ex(&x, true, false)?;
        // Column `i` of the permutation has its one in the row that came to position `i`.
        let (permutation, ..) = Tensor::f_lu_unpack(&packed, &pivots, false, true)?;
        let rows = permutation.f_max_dim(-2, false)?.1;
        let rows = rows.f_where_self(&is_finite.f_squeeze_dim(-1)?, &in_order_of_rows)?;
        Ok((or_nan(&packed, &is_finite)?, rows))
    });
    (packed, cast::cast(rows, index))
}

/// Both operands with the batch of the result.
fn spread(a: &TchTensor, b: &TchTensor, shape: &Shape) -> Result<[Tensor; 2]> {
    let wide = |x: &TchTensor| {
        let own = &x.spec().shape;
        let whole: Shape = shape[..shape.rank() - 2].iter().chain(&own[own.rank() - 2..]).copied().collect();
        in_order(&x.tch().f_expand(sizes(&whole), false)?)
    };
    Ok([wide(a)?, wide(b)?])
}

#[track_caller]
pub fn solve(a: TchTensor, b: TchTensor) -> TchTensor {
    let dtype = a.dtype();
    if is_half(dtype) {
        return cast::cast(solve(cast::cast(a, DType::F32), cast::cast(b, DType::F32)), dtype);
    }
    let spec = result(&Operation::Linalg(Linalg::Solve { a: &a, b: &b }));
    let shape = spec.shape.clone();
    if shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), a.device());
    }
    Torch::run("solve", a.device(), spec, || {
        let [a, b] = spread(&a, &b, &shape)?;
        let (is_finite, a) = finite(&a)?;
        let (x, info) = Tensor::f_linalg_solve_ex(&a, &b, true, false)?;
        or_nan(&x, &is_finite.f_logical_and(&succeeded(&info)?)?)
    })
}

#[track_caller]
pub fn solve_triangular(a: TchTensor, b: TchTensor, triangle: Triangle) -> TchTensor {
    let dtype = a.dtype();
    if is_half(dtype) {
        let x = solve_triangular(cast::cast(a, DType::F32), cast::cast(b, DType::F32), triangle);
        return cast::cast(x, dtype);
    }
    let spec = result(&Operation::Linalg(Linalg::SolveTriangular { a: &a, b: &b, triangle }));
    let shape = spec.shape.clone();
    if shape.num_elements() == 0 {
        return create::full(spec, Scalar::Int(0), a.device());
    }
    Torch::run("solve_triangular", a.device(), spec, || {
        let [a, b] = spread(&a, &b, &shape)?;
        let x = a.f_linalg_solve_triangular(&b, triangle.upper, true, triangle.unit)?;
        if triangle.unit {
            return Ok(x);
        }
        // A zero on the diagonal divides.
        let is_valid = a.f_diagonal(0, -2, -1)?.f_ne(0.0)?.f_all_dim(-1, true)?.f_unsqueeze(-1)?;
        or_nan(&x, &is_valid)
    })
}
