//! Functions of two tensors that broadcast: arithmetic, comparisons, masks and matrix products.

use super::lowering::{Lowering, Size};
use crate::error::{Outcome, fail};
use crate::export::graph_writer::{int, text};
use burn_capture::Value;
use burn_ir::{BinaryOp, CompareOp, DType, Scalar, Shape};
use std::f64::consts::{FRAC_PI_2, PI};

pub(super) fn lower(
    to: &mut Lowering<'_>,
    op: BinaryOp,
    lhs: Value,
    rhs: Value,
    result: Value,
) -> Outcome<String> {
    let (x, y) = operands(to, lhs, rhs, result);
    apply(to, op, &x, &y, to.dtype(lhs), None)
}

pub(super) fn with_scalar(to: &mut Lowering<'_>, op: BinaryOp, lhs: Value, rhs: Scalar) -> Outcome<String> {
    let (x, dtype) = (to.name(lhs), to.dtype(lhs));
    let y = scalar(to, lhs, rhs)?;
    apply(to, op, &x, &y, dtype, Some(rhs))
}

/// A scalar operand, which may be a count.
fn scalar(to: &mut Lowering<'_>, lhs: Value, scalar: Scalar) -> Outcome<String> {
    let dtype = to.dtype(lhs);
    if let Some(number) = to.numbers().first()
        && let Size::Computed(name) = to.size(number, &[lhs])?
    {
        return Ok(to.cast_from(name, DType::I64, dtype));
    }
    Ok(to.writer.scalar(scalar, dtype))
}

/// Names of two operands. A shape that was only changed to broadcast is left as it was.
fn operands(to: &Lowering<'_>, lhs: Value, rhs: Value, result: Value) -> (String, String) {
    if let Some(plain) = before_broadcast(to, rhs)
        && broadcasts(to, plain, lhs, result)
    {
        return (to.name(lhs), to.name(plain));
    }
    if let Some(plain) = before_broadcast(to, lhs)
        && broadcasts(to, plain, rhs, result)
    {
        return (to.name(plain), to.name(rhs));
    }
    (to.name(lhs), to.name(rhs))
}

/// The value that became `value` by dimensions of size 1 in front, or by being expanded.
fn before_broadcast(to: &Lowering<'_>, value: Value) -> Option<Value> {
    let (operation, _) = to.producer(value)?;
    if let Some(x) = operation.as_expand() {
        return Some(*x);
    }
    let x = operation.as_reshape()?;
    let same = |(from, into): (&Shape, &Shape)| {
        let extra = into.rank().checked_sub(from.rank());
        extra.is_some_and(|extra| into[..extra].iter().all(|&size| size == 1) && into[extra..] == from[..])
    };
    to.shapes(*x).iter().zip(to.shapes(value)).all(same).then_some(*x)
}

/// Whether two values broadcast to the shape of the result.
fn broadcasts(to: &Lowering<'_>, one: Value, two: Value, result: Value) -> bool {
    let shapes = to.shapes(one).iter().zip(to.shapes(two)).zip(to.shapes(result));
    shapes.into_iter().all(|((one, two), result)| {
        let size = |shape: &Shape, dim: usize| {
            (dim + shape.rank()).checked_sub(result.rank()).map_or(1, |own| shape[own])
        };
        let fits = |dim: usize| match (size(one, dim), size(two, dim)) {
            (1, size) | (size, 1) => size == result[dim],
            (one, two) => one == two && one == result[dim],
        };
        one.rank().max(two.rank()) == result.rank() && (0..result.rank()).all(fits)
    })
}

fn apply(
    to: &mut Lowering<'_>,
    op: BinaryOp,
    x: &str,
    y: &str,
    dtype: DType,
    scalar: Option<Scalar>,
) -> Outcome<String> {
    let logical = dtype == DType::Bool;
    Ok(match op {
        BinaryOp::Add => to.op("Add", [x, y]),
        BinaryOp::Sub => to.op("Sub", [x, y]),
        BinaryOp::Mul => to.op("Mul", [x, y]),
        BinaryOp::Div if dtype.is_float() => to.op("Div", [x, y]),
        BinaryOp::Div => total(to, "Div", x, y, dtype, scalar),
        BinaryOp::Remainder if dtype.is_float() => float_remainder(to, x, y, dtype),
        BinaryOp::Remainder => total(to, "Mod", x, y, dtype, scalar),
        BinaryOp::Fmod if dtype.is_float() => to.op_with("Mod", &[x, y], vec![int("fmod", 1)]),
        BinaryOp::Fmod => total(to, "Fmod", x, y, dtype, scalar),
        BinaryOp::Pow => to.op("Pow", [x, y]),
        BinaryOp::Atan2 => atan2(to, x, y, dtype),
        BinaryOp::Hypot => hypot(to, x, y, dtype),
        BinaryOp::Max => to.op("Max", [x, y]),
        BinaryOp::Min => to.op("Min", [x, y]),
        BinaryOp::And => to.op(if logical { "And" } else { "BitwiseAnd" }, [x, y]),
        BinaryOp::Or => to.op(if logical { "Or" } else { "BitwiseOr" }, [x, y]),
        BinaryOp::Xor => to.op(if logical { "Xor" } else { "BitwiseXor" }, [x, y]),
        BinaryOp::ShiftLeft => shift(to, "LEFT", x, y, dtype, scalar)?,
        BinaryOp::ShiftRight => shift(to, "RIGHT", x, y, dtype, scalar)?,
        BinaryOp::ReluGrad => {
            let zero = to.number(0.0, dtype);
            let is_flat = to.op("LessOrEqual", [x, &zero]);
            to.op("Where", [&is_flat, &zero, y])
        }
    })
}

/// A division of integers, which is 0 where the divisor is.
fn total(
    to: &mut Lowering<'_>,
    operator: &str,
    x: &str,
    y: &str,
    dtype: DType,
    scalar: Option<Scalar>,
) -> String {
    let divide = |to: &mut Lowering<'_>, y: &str| match operator {
        "Fmod" => to.op_with("Mod", &[x, y], vec![int("fmod", 1)]),
        _ => to.op(operator, [x, y]),
    };
    if scalar.is_some_and(|scalar| scalar.to_f64() != 0.0) {
        return divide(to, y);
    }
    let (zero, one) = (to.number(0.0, dtype), to.number(1.0, dtype));
    let is_zero = to.op("Equal", [y, &zero]);
    let divisor = to.op("Where", [&is_zero, &one, y]);
    let quotient = divide(to, &divisor);
    to.op("Where", [&is_zero, &zero, &quotient])
}

/// The remainder with the sign of the divisor.
fn float_remainder(to: &mut Lowering<'_>, x: &str, y: &str, dtype: DType) -> String {
    let zero = to.number(0.0, dtype);
    let rest = to.op_with("Mod", &[x, y], vec![int("fmod", 1)]);
    let is_zero = to.op("Equal", [&rest, &zero]);
    let (rest_sign, divisor_sign) = (to.op("Less", [&rest, &zero]), to.op("Less", [y, &zero]));
    let differ = to.op("Xor", [&rest_sign, &divisor_sign]);
    let is_rest = to.op("Not", [&is_zero]);
    let moved = to.op("And", [&differ, &is_rest]);
    let sum = to.op("Add", [&rest, y]);
    to.op("Where", [&moved, &sum, &rest])
}

/// The angle of the point `(x, y)`; `y` is the left operand.
fn atan2(to: &mut Lowering<'_>, y: &str, x: &str, dtype: DType) -> String {
    let numbers = [0.0, PI, -PI, FRAC_PI_2].map(|value| to.number(value, dtype));
    let [zero, pi, minus_pi, right] = &numbers;
    let ratio = to.op("Div", [y, x]);
    let angle = to.op("Atan", [&ratio]);
    let below = to.op("Less", [y, zero]);
    let turn = to.op("Where", [&below, minus_pi, pi]);
    let left = to.op("Less", [x, zero]);
    let turn = to.op("Where", [&left, &turn, zero]);
    let turned = to.op("Add", [&angle, &turn]);
    let sign = to.op("Sign", [y]);
    let upright = to.op("Mul", [&sign, right]);
    let on_axis = to.op("Equal", [x, zero]);
    to.op("Where", [&on_axis, &upright, &turned])
}

/// `m sqrt(1 + (n / m)^2)` of the larger side `m` and the smaller one `n`, which does not overflow.
fn hypot(to: &mut Lowering<'_>, x: &str, y: &str, dtype: DType) -> String {
    let (x, y) = (to.op("Abs", [x]), to.op("Abs", [y]));
    let (zero, one) = (to.number(0.0, dtype), to.number(1.0, dtype));
    let (larger, smaller) = (to.op("Max", [&x, &y]), to.op("Min", [&x, &y]));
    let is_zero = to.op("Equal", [&larger, &zero]);
    let divisor = to.op("Where", [&is_zero, &one, &larger]);
    let ratio = to.op("Div", [&smaller, &divisor]);
    let square = to.op("Mul", [&ratio, &ratio]);
    let sum = to.op("Add", [&square, &one]);
    let root = to.op("Sqrt", [&sum]);
    to.op("Mul", [&larger, &root])
}

/// Shifts of unsigned integers, and of signed ones by a number within their width.
fn shift(
    to: &mut Lowering<'_>,
    direction: &str,
    x: &str,
    y: &str,
    dtype: DType,
    scalar: Option<Scalar>,
) -> Outcome<String> {
    let width = 8 * dtype.size();
    if let Some(by) = scalar
        && (0.0..(width - 1) as f64).contains(&by.to_f64())
    {
        let factor = to.writer.scalar(Scalar::Int(1 << by.to_f64() as u32), dtype);
        if direction == "LEFT" {
            return Ok(to.op("Mul", [x, &factor]));
        }
        // Rounded down: what is left of the division is taken away before it.
        let rest = to.op("Mod", [x, &factor]);
        let whole = to.op("Sub", [x, &rest]);
        return Ok(to.op("Div", [&whole, &factor]));
    }
    match dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            Ok(to.op_with("BitShift", &[x, y], vec![text("direction", direction)]))
        }
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            fail!("ONNX shifts unsigned integers only, or by a number that is known; got {dtype} by a tensor")
        }
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Bool => fail!("{dtype} is not shifted"),
    }
}

pub(super) fn compare(
    to: &mut Lowering<'_>,
    op: CompareOp,
    lhs: Value,
    rhs: Value,
    result: Value,
) -> Outcome<String> {
    let (x, y) = operands(to, lhs, rhs, result);
    Ok(comparison(to, op, &x, &y))
}

pub(super) fn compare_scalar(
    to: &mut Lowering<'_>,
    op: CompareOp,
    lhs: Value,
    rhs: Scalar,
) -> Outcome<String> {
    let x = to.name(lhs);
    let y = scalar(to, lhs, rhs)?;
    Ok(comparison(to, op, &x, &y))
}

fn comparison(to: &mut Lowering<'_>, op: CompareOp, x: &str, y: &str) -> String {
    match op {
        CompareOp::Equal => to.op("Equal", [x, y]),
        CompareOp::NotEqual => {
            let equal = to.op("Equal", [x, y]);
            to.op("Not", [&equal])
        }
        CompareOp::Less => to.op("Less", [x, y]),
        CompareOp::LessEqual => to.op("LessOrEqual", [x, y]),
        CompareOp::Greater => to.op("Greater", [x, y]),
        CompareOp::GreaterEqual => to.op("GreaterOrEqual", [x, y]),
    }
}

pub(super) fn mask_where(to: &mut Lowering<'_>, mask: Value, on: Value, off: Value) -> String {
    let (mask, on, off) = (to.name(mask), to.name(on), to.name(off));
    to.op("Where", [&mask, &on, &off])
}

pub(super) fn mask_fill(to: &mut Lowering<'_>, x: Value, mask: Value, value: Scalar) -> String {
    let (name, mask, dtype) = (to.name(x), to.name(mask), to.dtype(x));
    let value = to.writer.scalar(value, dtype);
    to.op("Where", [&mask, &value, &name])
}

pub(super) fn matmul(to: &mut Lowering<'_>, lhs: Value, rhs: Value, result: Value) -> String {
    // A weight that got dimensions in front is written as it was.
    let plain = before_broadcast(to, rhs).filter(|&plain| {
        let matrix = to.rank(plain) == 2;
        matrix
            && to.rank(lhs) == to.rank(result)
            && to
                .shapes(lhs)
                .iter()
                .zip(to.shapes(result))
                .all(|(lhs, result)| lhs[..lhs.rank() - 1] == result[..result.rank() - 1])
    });
    let (x, y) = (to.name(lhs), to.name(plain.unwrap_or(rhs)));
    to.op("MatMul", [&x, &y])
}
