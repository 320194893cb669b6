//! Where a slope is a matter of definition: ties, corners, zeros. The values are PyTorch's, but for `hypot`
//! at the origin: zero, as of a norm, where PyTorch has NaN.

use super::call::Call;
use super::differentiable::{Differentiable, first_result, total, values};
use super::first::track;
use crate::Input;
use crate::input::{given, list};
use crate::number::Number;
use burn_backend::*;

/// A name, the call, and the gradients of the sum of its result: those of the float operands one after the
/// other.
type ClosedForm = (&'static str, Operation<Input>, Vec<f64>);

/// Lists the cases of all families.
pub fn all() -> Vec<ClosedForm> {
    [reductions(), corners(), saturation(), binary_functions(), repeated_indices()].concat()
}

fn floats(values: &[f64]) -> Input {
    list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), DType::F64)
}

fn unary(op: UnaryOp, values: &[f64]) -> Operation<Input> {
    Operation::Elementwise(Elementwise::Unary { op, x: floats(values) })
}

fn binary(op: BinaryOp, lhs: &[f64], rhs: &[f64]) -> Operation<Input> {
    Operation::Elementwise(Elementwise::Binary { op, lhs: floats(lhs), rhs: floats(rhs) })
}

fn binary_scalar(op: BinaryOp, lhs: &[f64], rhs: f64) -> Operation<Input> {
    Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: floats(lhs), rhs: Scalar::Float(rhs) })
}

fn reduce(op: ReduceOp, values: &[f64]) -> Operation<Input> {
    Operation::Reduction(Reduction::Reduce { op, x: floats(values), dims: [0].into() })
}

fn cumulative(op: CumulativeOp, values: &[f64]) -> Operation<Input> {
    Operation::Reduction(Reduction::Cumulative { op, x: floats(values), dim: 0 })
}

/// Max pooling with a kernel of two.
fn max_pool(values: &[f64]) -> Operation<Input> {
    let x = Input::new(TensorData::new(values, [1, 1, values.len()]));
    let options = PoolOptions::new([2].into());
    Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind: PoolKind::Max, x, options })))
}

/// The indices that five values are written to: the first three of four elements.
fn write_indices() -> Input {
    given(&[0, 0, 1, 1, 2], [5], DType::I64)
}

fn scatter(update: IndexUpdate, x: &[f64], value: &[f64]) -> Operation<Input> {
    let (x, value, indices) = (floats(x), floats(value), write_indices());
    Operation::Index(Index::Scatter { x, dim: 0, indices, value, update })
}

fn select_assign(update: IndexUpdate, x: &[f64], value: &[f64]) -> Operation<Input> {
    let (x, value, indices) = (floats(x), floats(value), write_indices());
    Operation::Index(Index::SelectAssign { x, dim: 0, indices, value, update })
}

/// Ties of extremes and zeros of products.
fn reductions() -> Vec<ClosedForm> {
    let (op, x) = (Extremum::Max, floats(&[1.0, 3.0, 3.0]));
    let with_indices = Reduction::ReduceWithIndices { op, x, dim: 0, index: DType::I64 };
    vec![
        ("equal maxima share", reduce(ReduceOp::Max, &[1.0, 3.0, 3.0]), vec![0.0, 0.5, 0.5]),
        ("equal minima share", reduce(ReduceOp::Min, &[1.0, 3.0, 1.0]), vec![0.5, 0.0, 0.5]),
        ("with an index the first maximum takes all", with_indices.into(), vec![0.0, 1.0, 0.0]),
        ("one zero in a product", reduce(ReduceOp::Prod, &[2.0, 0.0, 3.0]), vec![0.0, 6.0, 0.0]),
        ("two zeros in a product", reduce(ReduceOp::Prod, &[2.0, 0.0, 0.0]), vec![0.0, 0.0, 0.0]),
        ("a zero in running products", cumulative(CumulativeOp::Prod, &[2.0, 0.0, 3.0]), vec![1.0, 8.0, 0.0]),
        (
            "the latest running maximum",
            cumulative(CumulativeOp::Max, &[1.0, 3.0, 3.0, 2.0]),
            vec![1.0, 1.0, 2.0, 0.0],
        ),
        (
            "the latest running minimum",
            cumulative(CumulativeOp::Min, &[3.0, 1.0, 2.0, 1.0]),
            vec![1.0, 2.0, 0.0, 1.0],
        ),
        ("of equals in a window the first", max_pool(&[1.0, 1.0, 0.0, 2.0]), vec![1.0, 0.0, 0.0, 1.0]),
    ]
}

/// Arguments at which functions have no slope, or an infinite one.
fn corners() -> Vec<ClosedForm> {
    let (min, max) = (Some(Scalar::Int(0)), Some(Scalar::Int(1)));
    let clamp = Elementwise::Clamp { x: floats(&[-1.0, 0.0, 1.0, 2.0]), min, max };
    vec![
        ("relu at zero", unary(UnaryOp::Relu, &[0.0, -1.0, 1.0]), vec![0.0, 0.0, 1.0]),
        ("abs at zero", unary(UnaryOp::Abs, &[0.0, -1.0, 1.0]), vec![0.0, -1.0, 1.0]),
        ("sqrt at zero", unary(UnaryOp::Sqrt, &[0.0, 4.0]), vec![f64::INFINITY, 0.25]),
        ("square at zero", binary_scalar(BinaryOp::Pow, &[0.0, -3.0], 2.0), vec![0.0, -6.0]),
        ("power zero at zero", binary_scalar(BinaryOp::Pow, &[0.0, -3.0], 0.0), vec![0.0, 0.0]),
        ("power one at zero", binary_scalar(BinaryOp::Pow, &[0.0, -3.0], 1.0), vec![1.0, 1.0]),
        ("the ends of clamp pass", clamp.into(), vec![0.0, 1.0, 1.0, 0.0]),
        ("acosh at one", unary(UnaryOp::Acosh, &[1.0, 2.0]), vec![f64::INFINITY, 1.0 / 3.0_f64.sqrt()]),
        (
            "a gradient of relu passes those of gradients",
            binary(BinaryOp::ReluGrad, &[0.0, -1.0, 2.0], &[3.0, 4.0, 5.0]),
            vec![0.0, 0.0, 1.0],
        ),
    ]
}

/// Arguments so large that the slope is that of the limit.
fn saturation() -> Vec<ClosedForm> {
    vec![
        ("gelu far out", unary(UnaryOp::Gelu, &[-40.0, 40.0]), vec![0.0, 1.0]),
        ("log sigmoid far out", unary(UnaryOp::LogSigmoid, &[-800.0, 800.0]), vec![1.0, 0.0]),
        ("asinh far out", unary(UnaryOp::Asinh, &[0.0, 1e10]), vec![1.0, 1e-10]),
        ("tanh far out", unary(UnaryOp::Tanh, &[-400.0, 400.0]), vec![0.0, 0.0]),
    ]
}

/// `atan2` and `hypot` at the origin and on the axes, and the signs of `fmod`.
fn binary_functions() -> Vec<ClosedForm> {
    vec![
        (
            "atan2 at the origin",
            binary(BinaryOp::Atan2, &[0.0, 3.0], &[0.0, 4.0]),
            vec![0.0, 0.16, 0.0, -0.12],
        ),
        ("atan2 of a number at the origin", binary_scalar(BinaryOp::Atan2, &[0.0, 2.0], 0.0), vec![0.0, 0.0]),
        ("hypot at the origin", binary(BinaryOp::Hypot, &[0.0], &[0.0]), vec![0.0, 0.0]),
        (
            "hypot of a number at the origin",
            binary_scalar(BinaryOp::Hypot, &[0.0, -3.0], 0.0),
            vec![0.0, -1.0],
        ),
        (
            "hypot at an axis",
            binary(BinaryOp::Hypot, &[3.0, 0.0, -2.0], &[4.0, 2.0, 0.0]),
            vec![0.6, 0.0, -1.0, 0.8, 1.0, 0.0],
        ),
        (
            "fmod by its signs",
            binary(BinaryOp::Fmod, &[5.0, -5.0, 5.0, -7.5], &[3.0, 3.0, -3.0, 2.0]),
            vec![1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 3.0],
        ),
    ]
}

/// Several values written to one element.
fn repeated_indices() -> Vec<ClosedForm> {
    vec![
        (
            "a zero among factors",
            scatter(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 5.0, 0.0, 0.0]),
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 10.0, 3.0],
        ),
        (
            "factors of zero",
            scatter(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[7.0, 0.5, 5.0, 2.0, 3.0]),
            vec![3.5, 10.0, 3.0, 1.0, 0.0, 0.0, 4.0, 10.0, 3.0],
        ),
        (
            "two zeros among factors",
            select_assign(IndexUpdate::Multiply, &[2.0; 4], &[0.0, 3.0, 0.0, 0.0, 2.0]),
            vec![0.0, 0.0, 2.0, 1.0, 6.0, 0.0, 0.0, 0.0, 2.0],
        ),
        (
            "equal minima of an element share",
            scatter(IndexUpdate::Min, &[1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 5.0, 2.0, 0.0]),
            vec![1.0 / 3.0, 0.5, 0.0, 1.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 0.5, 1.0],
        ),
        (
            "equal maxima of an element share",
            select_assign(IndexUpdate::Max, &[2.0; 4], &[0.0, 3.0, 0.0, 0.0, 2.0]),
            vec![0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0, 0.5],
        ),
    ]
}

/// # Errors
/// When the gradients differ from `expected`, with the gradients found.
pub fn check(subject: &Differentiable, op: Operation<Input>, expected: &[f64]) -> Result<(), String> {
    let call = Call { name: String::new(), op, differentiable: true, alias: false, without_gradient: None };
    let (op, operands) = track(subject, &call, |_| true);
    let gradients = values(subject.gradients(total(first_result(op)), &operands));
    let found: Vec<f64> = gradients.into_iter().flatten().flatten().collect();
    let near = found.len() == expected.len()
        && found.iter().zip(expected).all(|(x, y)| x == y || (x - y).abs() < 1e-12);
    if near { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}
