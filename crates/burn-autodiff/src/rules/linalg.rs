//! Derivatives of factorisations: the formulas of PyTorch's, with 0 for `0 / 0` where values coincide and
//! their vectors are not asked for.

use super::{B, Operand, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::TypedCalls;
use burn_backend::ops::{add, div, mul, neg, scale, square, sub, transpose};
use burn_backend::{
    Backend, BinaryOp, CompareOp, DType, Dims, Factorization, HasSpec, IndexUpdate, Scalar, Shape, Slice,
    Slices, TensorSpec, Triangle,
};
use core::ops::Range;

const UPPER: Triangle = Triangle { upper: true, unit: false };

fn product(lhs: Tensor, rhs: Tensor) -> Tensor {
    B::matmul(lhs, rhs)
}

/// `x^T y`.
fn inner(x: &Tensor, y: &Tensor) -> Tensor {
    product(transpose::<B>(x.clone()), y.clone())
}

/// `x y^T`.
fn outer(x: Tensor, y: &Tensor) -> Tensor {
    product(x, transpose::<B>(y.clone()))
}

/// Rows and columns.
fn size(shape: &Shape) -> (usize, usize) {
    (shape[shape.rank() - 2], shape[shape.rank() - 1])
}

fn block(x: &Tensor, rows: Range<usize>, cols: Range<usize>) -> Tensor {
    let shape = &x.spec().shape;
    let mut slices: Slices = shape.iter().map(|&size| Slice::from(0..size)).collect();
    slices[shape.rank() - 2] = rows.into();
    slices[shape.rank() - 1] = cols.into();
    B::slice(x.clone(), slices)
}

fn rows(x: &Tensor, rows: Range<usize>) -> Tensor {
    block(x, rows, 0..size(&x.spec().shape).1)
}

/// Where `drop(row, column)` holds in the last two dimensions.
fn places(x: &Tensor, drop: CompareOp) -> Tensor {
    let (rows, cols) = size(&x.spec().shape);
    let count = |size: usize, shape: [usize; 2]| {
        let spec = TensorSpec::new([size], DType::I64);
        B::reshape(B::range(spec, Scalar::Int(0), Scalar::Int(1), &B::device(x)), shape.into())
    };
    B::compare(drop, count(rows, [rows, 1]), count(cols, [1, cols]))
}

/// `x` with zeros where `drop(row, column)` holds.
fn without(x: Tensor, drop: CompareOp) -> Tensor {
    let places = places(&x, drop);
    B::mask_fill(x, places, Scalar::Int(0))
}

/// Returns the upper triangle with the diagonal.
fn upper(x: Tensor) -> Tensor {
    without(x, CompareOp::Greater)
}

/// Returns the lower triangle with the diagonal.
fn lower(x: Tensor) -> Tensor {
    without(x, CompareOp::Less)
}

/// Returns the strictly lower triangle.
fn below(x: Tensor) -> Tensor {
    without(x, CompareOp::LessEqual)
}

/// Builds a diagonal matrix from a row of numbers.
fn diagonal(row: Tensor) -> Tensor {
    let mut shape = row.shape();
    let rank = shape.rank();
    shape[rank - 2] = shape[rank - 1];
    without(B::expand(row, shape), CompareOp::NotEqual)
}

/// `x / y`, and 0 where both are; `y` broadcasts.
fn ratio(x: Tensor, y: Tensor) -> Tensor {
    let zero = |x: &Tensor| B::compare_scalar(CompareOp::Equal, x.clone(), Scalar::Int(0));
    let y = B::expand(y, x.shape());
    let both = B::binary(BinaryOp::And, zero(&x), zero(&y));
    div::<B>(x, B::mask_fill(y, both, Scalar::Int(1)))
}

/// `x_j - x_i` of a row.
fn gaps(row: &Tensor) -> Tensor {
    sub::<B>(row.clone(), transpose::<B>(row.clone()))
}

fn skew(x: Tensor) -> Tensor {
    sub::<B>(x.clone(), transpose::<B>(x))
}

fn symmetric(x: Tensor) -> Tensor {
    scale::<B>(add::<B>(x.clone(), transpose::<B>(x)), 0.5)
}

pub fn factorize(
    op: Factorization,
    x: &Operand,
    output: &Option<SavedTensor>,
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let factors = sink.restore(output);
    let (m, n) = size(&x.spec.shape);
    sink.add(x, || match op {
        Factorization::Cholesky => cholesky(factors, &grad),
        Factorization::Qr => qr(&factors, &grad, m, n),
        Factorization::Svd => svd(&factors, &grad, m, n),
        Factorization::Eigh => eigh(&factors, &grad, n),
    });
}

/// `sym(L^-T P L^-1)` with `P` the lower part of `L^T gL`, its diagonal halved.
fn cholesky(factor: Tensor, grad: &Tensor) -> Tensor {
    let part = lower(inner(&factor, grad));
    let half = without(part.clone(), CompareOp::NotEqual);
    let part = sub::<B>(part, scale::<B>(half, 0.5));
    let turned = transpose::<B>(factor);
    let left = B::solve_triangular(turned.clone(), part, UPPER);
    symmetric(B::solve_triangular(turned, transpose::<B>(left), UPPER))
}

/// `(gQ + Q M) R^-T` with `M` symmetric, its lower part that of `R gR^T - gQ^T Q`; columns beyond the rows
/// only turn.
fn qr(factors: &Tensor, grad: &Tensor, m: usize, n: usize) -> Tensor {
    let k = m.min(n);
    let part = |x: &Tensor| (rows(x, 0..m), rows(x, m..m + k), rows(x, m + k..m + n));
    let ((q, r, rest), (q_grad, r_grad, rest_grad)) = (part(factors), part(grad));
    let q_grad = if n > k { add::<B>(q_grad, product(q.clone(), inner(&rest, &rest_grad))) } else { q_grad };
    let middle = sub::<B>(inner(&r, &r_grad), inner(&q_grad, &q));
    let middle = add::<B>(lower(middle.clone()), transpose::<B>(below(middle)));
    let right = add::<B>(q_grad, product(q.clone(), middle));
    let first = B::solve_triangular(transpose::<B>(r), transpose::<B>(right), UPPER);
    let first = transpose::<B>(first);
    if n > k { B::cat([first, outer(q, &rest_grad)].into(), factors.spec().shape.rank() - 1) } else { first }
}

/// `U (F o skew(U^T gU) S + S F o skew(V^T gV) + diag(gs)) V^T` with `F_ij = 1 / (s_j^2 - s_i^2)`, and the
/// parts of `gU` and `gV` at right angles to `U` and `V`.
fn svd(factors: &Tensor, grad: &Tensor, m: usize, n: usize) -> Tensor {
    let k = m.min(n);
    let part = |x: &Tensor| (rows(x, 0..m), rows(x, m..m + 1), rows(x, m + 1..m + 1 + n));
    let ((u, s, v), (u_grad, s_grad, v_grad)) = (part(factors), part(grad));
    let column = transpose::<B>(s.clone());
    let gaps = gaps(&square::<B>(s.clone()));
    let (u_along, v_along) = (inner(&u, &u_grad), inner(&v, &v_grad));
    let left = mul::<B>(ratio(skew(u_along.clone()), gaps.clone()), s.clone());
    let right = mul::<B>(column.clone(), ratio(skew(v_along.clone()), gaps));
    let middle = add::<B>(add::<B>(left, right), diagonal(s_grad));
    let mut grad = outer(product(u.clone(), middle), &v);
    if m > k {
        let beside = sub::<B>(u_grad, product(u.clone(), u_along));
        grad = add::<B>(grad, outer(ratio(beside, s), &v));
    }
    if n > k {
        let beside = sub::<B>(v_grad, product(v, v_along));
        grad = add::<B>(grad, product(u, ratio(transpose::<B>(beside), column)));
    }
    grad
}

/// `V (F o skew(V^T gV) / 2 + diag(gw)) V^T` with `F_ij = 1 / (w_j - w_i)`, which is symmetric.
fn eigh(factors: &Tensor, grad: &Tensor, n: usize) -> Tensor {
    let part = |x: &Tensor| (rows(x, 0..n), rows(x, n..n + 1));
    let ((v, w), (v_grad, w_grad)) = (part(factors), part(grad));
    let turn = scale::<B>(ratio(skew(inner(&v, &v_grad)), gaps(&w)), 0.5);
    outer(product(v.clone(), add::<B>(turn, diagonal(w_grad))), &v)
}

/// Computes the gradient of an LU decomposition, `P L^-T (below(L^T gL) + upper(gU U^T)) U^-T`; rows beyond
/// the columns, or columns beyond the rows, by substitution. The factors are recomputed, a small part of the
/// work.
pub fn lu(x: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    let value = sink.value(x);
    sink.add(x, || {
        let (packed, order) = B::lu(value, DType::I64);
        let grad = lu_rows(&packed, &grad);
        let rank = x.spec.shape.rank();
        let mut column = order.shape();
        column.dims = column.iter().copied().chain([1]).collect::<Dims>();
        let places = B::expand(B::reshape(order, column), x.spec.shape.clone());
        let zeros = B::full(x.spec.clone(), Scalar::Int(0), &B::device(&grad));
        B::scatter(zeros, rank - 2, places, grad, IndexUpdate::Add)
    });
}

/// The gradient of the matrix with its rows in the order of the pivots.
fn lu_rows(packed: &Tensor, grad: &Tensor) -> Tensor {
    let (m, n) = size(&packed.spec().shape);
    let (k, rank) = (m.min(n), packed.spec().shape.rank());
    let corner = with_pivots(block(packed, 0..k, 0..k));
    let corner_grad = block(grad, 0..k, 0..k);
    let lower = add::<B>(below(corner.clone()), one_on_diagonal(&corner));
    let turned = Triangle { upper: true, unit: true };
    let mut left = inner(&lower, &corner_grad);
    let mut right = outer(corner_grad, &upper(corner.clone()));
    if n > k {
        let (beside, beside_grad) = (block(packed, 0..k, k..n), block(grad, 0..k, k..n));
        left = sub::<B>(left, outer(beside_grad, &beside));
    }
    if m > k {
        let (under, under_grad) = (block(packed, k..m, 0..k), block(grad, k..m, 0..k));
        right = sub::<B>(right, inner(&under, &under_grad));
    }
    // x U^-T is (U^-1 x^T)^T.
    let by_upper = |x: Tensor| transpose::<B>(B::solve_triangular(corner.clone(), transpose::<B>(x), UPPER));
    let by_lower = |x: Tensor| B::solve_triangular(transpose::<B>(lower.clone()), x, turned);
    let first = by_upper(by_lower(add::<B>(below(left), upper(right))));
    if n > k {
        return B::cat([first, by_lower(block(grad, 0..k, k..n))].into(), rank - 1);
    }
    if m > k {
        return B::cat([first, by_upper(block(grad, k..m, 0..k))].into(), rank - 2);
    }
    first
}

/// Pivots that are zero become tiny: what they are multiplied with divides them again where the gradient
/// exists, as that of a determinant does.
fn with_pivots(packed: Tensor) -> Tensor {
    let tiny = match packed.dtype() {
        DType::F16 => 1e-3,
        DType::BF16 => 1e-2,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F64 | DType::I64 | DType::I32 | DType::I16 | DType::I8 => f64::EPSILON,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => f64::EPSILON,
    };
    let zero = B::compare_scalar(CompareOp::Equal, packed.clone(), Scalar::Int(0));
    let shape = packed.shape();
    let on_diagonal = B::expand(places(&packed, CompareOp::Equal), shape);
    let both = B::binary(BinaryOp::And, zero, on_diagonal);
    B::mask_fill(packed, both, Scalar::Float(tiny))
}

fn one_on_diagonal(x: &Tensor) -> Tensor {
    let ones = B::full(x.spec().clone(), Scalar::Int(1), &B::device(x));
    without(ones, CompareOp::NotEqual)
}

/// Computes the gradients of a linear system: `gb = a^-T g`, `ga = -gb x^T`.
pub fn solve(a: &Operand, b: &Operand, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    let by_b = B::solve(transpose::<B>(sink.value(a)), grad);
    let x = sink.restore(output);
    sink.add(a, || neg::<B>(outer(by_b.clone(), &x)));
    sink.add(b, || by_b);
}

/// [`solve`], for the elements of `a` that are read.
pub fn solve_triangular(
    a: &Operand,
    b: &Operand,
    triangle: Triangle,
    output: &Option<SavedTensor>,
    grad: Tensor,
    sink: &mut Sink<'_>,
) {
    let by_b = B::solve_triangular(transpose::<B>(sink.value(a)), grad, triangle.transposed());
    let x = sink.restore(output);
    let drop = match triangle {
        Triangle { upper: true, unit: false } => CompareOp::Greater,
        Triangle { upper: true, unit: true } => CompareOp::GreaterEqual,
        Triangle { upper: false, unit: false } => CompareOp::Less,
        Triangle { upper: false, unit: true } => CompareOp::LessEqual,
    };
    sink.add(a, || without(neg::<B>(outer(by_b.clone(), &x)), drop));
    sink.add(b, || by_b);
}

/// The gradient of each operand is a bilinear map of the other one and `grad`, by the weight with other axes.
#[cfg(feature = "test-operation")]
pub fn bilinear(args: &burn_backend::BilinearArgs<Operand>, grad: &Tensor, sink: &mut Sink<'_>) {
    let [lhs, rhs, weight] = [&args.lhs, &args.rhs, &args.weight].map(|x| sink.value(x));
    let by_weight = |other: &Tensor, axes: [usize; 3]| {
        let (lhs, rhs, weight) = (grad.clone(), other.clone(), B::permute(weight.clone(), axes.into()));
        B::bilinear(burn_backend::BilinearArgs { lhs, rhs, weight, bias: None })
    };
    sink.add(&args.lhs, || by_weight(&rhs, [1, 0, 2]));
    sink.add(&args.rhs, || by_weight(&lhs, [2, 0, 1]));
    sink.add(&args.weight, || {
        let ((rows, left), right) = (size(&lhs.spec().shape), size(&rhs.spec().shape).1);
        let columns = B::reshape(lhs.clone(), [rows, left, 1].into());
        let pairs = mul::<B>(columns, B::reshape(rhs.clone(), [rows, 1, right].into()));
        let pairs = B::reshape(pairs, [rows, left * right].into());
        B::reshape(inner(grad, &pairs), args.weight.spec.shape.clone())
    });
    if let Some(bias) = &args.bias {
        sink.add(bias, || grad.clone());
    }
}
