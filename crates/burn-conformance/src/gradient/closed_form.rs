//! Where a slope is a matter of definition: ties, corners, zeros. The values are PyTorch's, but for `hypot`
//! at the origin: zero, as of a norm, where PyTorch has NaN.

use super::call::Call;
use super::differentiable::{Differentiable, first_result, total, values};
use super::first::track;
use crate::input::{given, list};
use crate::number::Number;
use burn_backend::*;

/// A name, the call, and the gradients of the sum of its result: those of the float operands one after the
/// other.
pub fn all() -> Vec<(&'static str, Operation<crate::Input>, Vec<f64>)> {
    let x = |values: &[f64]| list(&values.iter().copied().map(Number::Float).collect::<Vec<_>>(), DType::F64);
    let reduce =
        |op, values: &[f64]| Operation::Reduction(Reduction::Reduce { op, x: x(values), dims: [0].into() });
    // The places of five values, and what is written to the first three of four.
    let write = |update, values: &[f64], written: &[f64]| {
        let (x, value) = (x(values), x(written));
        Operation::Index(Index::Scatter {
            x,
            dim: 0,
            indices: given(&[0, 0, 1, 1, 2], [5], DType::I64),
            value,
            update,
        })
    };
    let slices = |update, values: &[f64], written: &[f64]| {
        let (x, value) = (x(values), x(written));
        Operation::Index(Index::SelectAssign {
            x,
            dim: 0,
            indices: given(&[0, 0, 1, 1, 2], [5], DType::I64),
            value,
            update,
        })
    };
    let hypot = |lhs: &[f64], rhs: &[f64]| {
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Hypot, lhs: x(lhs), rhs: x(rhs) })
    };
    let atan2 = |lhs: &[f64], rhs: &[f64]| {
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Atan2, lhs: x(lhs), rhs: x(rhs) })
    };
    let relu_grad = |lhs: &[f64], rhs: &[f64]| {
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::ReluGrad, lhs: x(lhs), rhs: x(rhs) })
    };
    let fmod = |lhs: &[f64], rhs: &[f64]| {
        Operation::Elementwise(Elementwise::Binary { op: BinaryOp::Fmod, lhs: x(lhs), rhs: x(rhs) })
    };
    let unary = |op, values: &[f64]| Operation::Elementwise(Elementwise::Unary { op, x: x(values) });
    let cumulative =
        |op, values: &[f64]| Operation::Reduction(Reduction::Cumulative { op, x: x(values), dim: 0 });
    let scalar = |op, values: &[f64], rhs| {
        Operation::Elementwise(Elementwise::BinaryScalar { op, lhs: x(values), rhs: Scalar::Float(rhs) })
    };
    let (dim, index) = (0, DType::I64);
    let pool = |values: &[f64]| {
        let x = crate::Input::new(TensorData::new(values, [1, 1, values.len()]));
        let options = PoolOptions::new([2].into());
        Operation::Pooling(Pooling::Pool(Box::new(PoolArgs { kind: PoolKind::Max, x, options })))
    };
    vec![
        ("equal maxima share", reduce(ReduceOp::Max, &[1.0, 3.0, 3.0]), vec![0.0, 0.5, 0.5]),
        ("equal minima share", reduce(ReduceOp::Min, &[1.0, 3.0, 1.0]), vec![0.5, 0.0, 0.5]),
        (
            "with an index the first maximum takes all",
            Operation::Reduction(Reduction::ReduceWithIndices {
                op: Extremum::Max,
                x: x(&[1.0, 3.0, 3.0]),
                dim,
                index,
            }),
            vec![0.0, 1.0, 0.0],
        ),
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
        ("relu at zero", unary(UnaryOp::Relu, &[0.0, -1.0, 1.0]), vec![0.0, 0.0, 1.0]),
        ("abs at zero", unary(UnaryOp::Abs, &[0.0, -1.0, 1.0]), vec![0.0, -1.0, 1.0]),
        ("sqrt at zero", unary(UnaryOp::Sqrt, &[0.0, 4.0]), vec![f64::INFINITY, 0.25]),
        ("square at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 2.0), vec![0.0, -6.0]),
        ("power zero at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 0.0), vec![0.0, 0.0]),
        ("power one at zero", scalar(BinaryOp::Pow, &[0.0, -3.0], 1.0), vec![1.0, 1.0]),
        (
            "the ends of clamp pass",
            Operation::Elementwise(Elementwise::Clamp {
                x: x(&[-1.0, 0.0, 1.0, 2.0]),
                min: Some(Scalar::Int(0)),
                max: Some(Scalar::Int(1)),
            }),
            vec![0.0, 1.0, 1.0, 0.0],
        ),
        ("of equals in a window the first", pool(&[1.0, 1.0, 0.0, 2.0]), vec![1.0, 0.0, 0.0, 1.0]),
        ("gelu far out", unary(UnaryOp::Gelu, &[-40.0, 40.0]), vec![0.0, 1.0]),
        ("log sigmoid far out", unary(UnaryOp::LogSigmoid, &[-800.0, 800.0]), vec![1.0, 0.0]),
        (
            "a zero among factors",
            write(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 5.0, 0.0, 0.0]),
            vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 10.0, 3.0],
        ),
        (
            "factors of zero",
            write(IndexUpdate::Multiply, &[0.0, 2.0, 3.0, 4.0], &[7.0, 0.5, 5.0, 2.0, 3.0]),
            vec![3.5, 10.0, 3.0, 1.0, 0.0, 0.0, 4.0, 10.0, 3.0],
        ),
        (
            "two zeros among factors",
            slices(IndexUpdate::Multiply, &[2.0; 4], &[0.0, 3.0, 0.0, 0.0, 2.0]),
            vec![0.0, 0.0, 2.0, 1.0, 6.0, 0.0, 0.0, 0.0, 2.0],
        ),
        (
            "equal minima of a place share",
            write(IndexUpdate::Min, &[1.0, 2.0, 3.0, 4.0], &[1.0, 1.0, 5.0, 2.0, 0.0]),
            vec![1.0 / 3.0, 0.5, 0.0, 1.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 0.5, 1.0],
        ),
        (
            "equal maxima of a place share",
            slices(IndexUpdate::Max, &[2.0; 4], &[0.0, 3.0, 0.0, 0.0, 2.0]),
            vec![0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 0.0, 0.0, 0.5],
        ),
        ("atan2 at the origin", atan2(&[0.0, 3.0], &[0.0, 4.0]), vec![0.0, 0.16, 0.0, -0.12]),
        ("atan2 of a number at the origin", scalar(BinaryOp::Atan2, &[0.0, 2.0], 0.0), vec![0.0, 0.0]),
        ("hypot at the origin", hypot(&[0.0], &[0.0]), vec![0.0, 0.0]),
        ("hypot of a number at the origin", scalar(BinaryOp::Hypot, &[0.0, -3.0], 0.0), vec![0.0, -1.0]),
        ("hypot at an axis", hypot(&[3.0, 0.0, -2.0], &[4.0, 2.0, 0.0]), vec![0.6, 0.0, -1.0, 0.8, 1.0, 0.0]),
        (
            "fmod by its signs",
            fmod(&[5.0, -5.0, 5.0, -7.5], &[3.0, 3.0, -3.0, 2.0]),
            vec![1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 3.0],
        ),
        (
            "a gradient of relu passes those of gradients",
            relu_grad(&[0.0, -1.0, 2.0], &[3.0, 4.0, 5.0]),
            vec![0.0, 0.0, 1.0],
        ),
        ("asinh far out", unary(UnaryOp::Asinh, &[0.0, 1e10]), vec![1.0, 1e-10]),
        ("acosh at one", unary(UnaryOp::Acosh, &[1.0, 2.0]), vec![f64::INFINITY, 1.0 / 3.0_f64.sqrt()]),
        ("tanh far out", unary(UnaryOp::Tanh, &[-400.0, 400.0]), vec![0.0, 0.0]),
    ]
}

/// # Errors
/// When the gradients differ from `expected`, with the gradients found.
pub fn check(subject: &Differentiable, op: Operation<crate::Input>, expected: &[f64]) -> Result<(), String> {
    let call = Call { name: String::new(), op, differentiable: true, alias: false, without_gradient: None };
    let (op, operands) = track(subject, &call, |_| true);
    let gradients = values(subject.gradients(total(first_result(op)), &operands));
    let found: Vec<f64> = gradients.into_iter().flatten().flatten().collect();
    let near = found.len() == expected.len()
        && found.iter().zip(expected).all(|(x, y)| x == y || (x - y).abs() < 1e-12);
    if near { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}")) }
}
