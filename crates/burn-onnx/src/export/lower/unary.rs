//! Elementwise functions of one tensor.

use super::lowering::Lowering;
use crate::export::graph_writer::text;
use burn_capture::Value;
use burn_ir::{DType, Scalar, UnaryOp};

pub(super) fn lower(to: &mut Lowering<'_>, op: UnaryOp, value: Value) -> String {
    let (name, dtype) = (to.name(value), to.dtype(value));
    let x = &name[..];
    match op {
        UnaryOp::Neg => to.op("Neg", [x]),
        UnaryOp::Abs => to.op("Abs", [x]),
        UnaryOp::Sign => to.op("Sign", [x]),
        UnaryOp::Square => to.op("Mul", [x, x]),
        UnaryOp::Exp => to.op("Exp", [x]),
        UnaryOp::ExpM1 => exp_m1(to, x, dtype),
        UnaryOp::Log => to.op("Log", [x]),
        UnaryOp::Log1p => log1p(to, x, dtype),
        UnaryOp::Sqrt => to.op("Sqrt", [x]),
        UnaryOp::Recip => to.op("Reciprocal", [x]),
        UnaryOp::Sin => to.op("Sin", [x]),
        UnaryOp::Cos => to.op("Cos", [x]),
        UnaryOp::Tan => to.op("Tan", [x]),
        UnaryOp::Asin => to.op("Asin", [x]),
        UnaryOp::Acos => to.op("Acos", [x]),
        UnaryOp::Atan => to.op("Atan", [x]),
        UnaryOp::Sinh => to.op("Sinh", [x]),
        UnaryOp::Cosh => to.op("Cosh", [x]),
        UnaryOp::Tanh => to.op("Tanh", [x]),
        UnaryOp::Asinh => to.op("Asinh", [x]),
        UnaryOp::Acosh => to.op("Acosh", [x]),
        UnaryOp::Atanh => to.op("Atanh", [x]),
        UnaryOp::Erf => to.op("Erf", [x]),
        UnaryOp::Sigmoid => to.op("Sigmoid", [x]),
        UnaryOp::LogSigmoid => {
            let negative = to.op("Neg", [x]);
            let softplus = to.op("Softplus", [&negative]);
            to.op("Neg", [&softplus])
        }
        UnaryOp::Relu if dtype.is_float() => to.op("Relu", [x]),
        UnaryOp::Relu => {
            let zero = to.number(0.0, dtype);
            to.op("Max", [x, &zero])
        }
        UnaryOp::Gelu => to.op("Gelu", [x]),
        UnaryOp::GeluTanh => to.op_with("Gelu", &[x], vec![text("approximate", "tanh")]),
        UnaryOp::Silu => {
            let sigmoid = to.op("Sigmoid", [x]);
            to.op("Mul", [x, &sigmoid])
        }
        UnaryOp::Floor => to.op("Floor", [x]),
        UnaryOp::Ceil => to.op("Ceil", [x]),
        UnaryOp::Round => to.op("Round", [x]),
        UnaryOp::Trunc => {
            let zero = to.number(0.0, dtype);
            let negative = to.op("Less", [x, &zero]);
            let (ceil, floor) = (to.op("Ceil", [x]), to.op("Floor", [x]));
            to.op("Where", [&negative, &ceil, &floor])
        }
        UnaryOp::Not if dtype == DType::Bool => to.op("Not", [x]),
        UnaryOp::Not => to.op("BitwiseNot", [x]),
    }
}

/// `tanh(x / 2) (e^x + 1)`, which is exact near zero.
fn exp_m1(to: &mut Lowering<'_>, x: &str, dtype: DType) -> String {
    let (half, one) = (to.number(0.5, dtype), to.number(1.0, dtype));
    let halved = to.op("Mul", [x, &half]);
    let tanh = to.op("Tanh", [&halved]);
    let exp = to.op("Exp", [x]);
    let sum = to.op("Add", [&exp, &one]);
    to.op("Mul", [&tanh, &sum])
}

/// `2 atanh(x / (x + 2))` near zero, where `log(1 + x)` is not exact.
fn log1p(to: &mut Lowering<'_>, x: &str, dtype: DType) -> String {
    let numbers = [0.5, 1.0, 2.0].map(|value| to.number(value, dtype));
    let [half, one, two] = &numbers;
    let sum = to.op("Add", [x, two]);
    let ratio = to.op("Div", [x, &sum]);
    let atanh = to.op("Atanh", [&ratio]);
    let near = to.op("Mul", [&atanh, two]);
    let above = to.op("Add", [x, one]);
    let far = to.op("Log", [&above]);
    let size = to.op("Abs", [x]);
    let is_near = to.op("Less", [&size, half]);
    to.op("Where", [&is_near, &near, &far])
}

/// `min(max(x, low), high)`.
pub(super) fn clamp(to: &mut Lowering<'_>, x: Value, min: Option<Scalar>, max: Option<Scalar>) -> String {
    let (name, dtype) = (to.name(x), to.dtype(x));
    let mut bound =
        |bound: Option<Scalar>| bound.map_or(String::new(), |bound| to.writer.scalar(bound, dtype));
    let (low, high) = (bound(min), bound(max));
    match (low.is_empty(), high.is_empty()) {
        (true, true) => name,
        (false, true) => to.op("Clip", [&name, &low]),
        (_, false) => to.op("Clip", [&name, &low, &high]),
    }
}
