//! Functions of `f64`.

use super::number;
use super::value::KernelValue;
use crate::ops::math::float64::{self as math, copy_sign, is_nan, magnitude};
use burn_backend::{BinaryOp, DType, UnaryOp};
use cubecl::ir::Scope;
use cubecl::prelude::*;

#[cube]
fn sign(x: f64) -> f64 {
    select(x > 0.0f64, 1.0f64, select(x < 0.0f64, -1.0f64, select(x == 0.0f64, 0.0f64, x)))
}

#[cube]
fn square(x: f64) -> f64 {
    x * x
}

#[cube]
fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

#[cube]
fn recip(x: f64) -> f64 {
    1.0f64 / x
}

#[cube]
fn relu(x: f64) -> f64 {
    select(x < 0.0f64, 0.0f64, x)
}

#[cube]
fn relu_grad(x: f64, y: f64) -> f64 {
    select(x <= 0.0f64, 0.0f64, y)
}

#[cube]
fn floor(x: f64) -> f64 {
    x.floor()
}

#[cube]
fn ceil(x: f64) -> f64 {
    x.ceil()
}

#[cube]
fn trunc(x: f64) -> f64 {
    x.trunc()
}

/// Nearest integer, halves to the even one.
#[cube]
fn round(x: f64) -> f64 {
    let below = x.floor();
    let rest = x - below;
    let half = below * 0.5f64;
    let up = rest > 0.5f64 || (rest == 0.5f64 && half != half.floor());
    let result = select(up, below + 1.0f64, below);
    let result = select(magnitude(x) < 4_503_599_627_370_496.0f64, result, x);
    copy_sign(result, x)
}

#[cube]
fn max(x: f64, y: f64) -> f64 {
    select(is_nan(x) || x > y, x, y)
}

#[cube]
fn min(x: f64, y: f64) -> f64 {
    select(is_nan(x) || x < y, x, y)
}

#[cube]
fn div(x: f64, y: f64) -> f64 {
    x / y
}

/// As [`number::int_of_float`].
#[cube]
pub fn int<N: Int>(x: f64, low: f64, high: f64, least: N, largest: N) -> N {
    let inside = x > low && x < high;
    let whole = N::cast_from(select(inside, x, 0.0f64));
    let result = select(x >= high, largest, whole);
    let result = select(x <= low, least, result);
    select(is_nan(x), N::from_int(0), result)
}

pub fn unary(scope: &mut Scope, op: UnaryOp, x: &KernelValue) -> KernelValue {
    use UnaryOp::*;
    let x = x.get::<f64>();
    let result = match op {
        Neg => math::opposite::expand(scope, x),
        Abs => magnitude::expand(scope, x),
        Sign => sign::expand(scope, x),
        Square => square::expand(scope, x),
        Exp => math::exp::expand(scope, x),
        ExpM1 => math::exp_m1::expand(scope, x),
        Log => math::log::expand(scope, x),
        Log1p => math::log1p::expand(scope, x),
        Sqrt => sqrt::expand(scope, x),
        Recip => recip::expand(scope, x),
        Sin => math::sin::expand(scope, x),
        Cos => math::cos::expand(scope, x),
        Tan => math::tan::expand(scope, x),
        Asin => math::asin::expand(scope, x),
        Acos => math::acos::expand(scope, x),
        Atan => math::atan::expand(scope, x),
        Sinh => math::sinh::expand(scope, x),
        Cosh => math::cosh::expand(scope, x),
        Tanh => math::tanh::expand(scope, x),
        Asinh => math::asinh::expand(scope, x),
        Acosh => math::acosh::expand(scope, x),
        Atanh => math::atanh::expand(scope, x),
        Erf => math::error_function::expand(scope, x),
        Sigmoid => math::sigmoid::expand(scope, x),
        LogSigmoid => math::log_sigmoid::expand(scope, x),
        Relu => relu::expand(scope, x),
        Gelu => math::gelu::expand(scope, x),
        GeluTanh => math::gelu_tanh::expand(scope, x),
        Silu => math::silu::expand(scope, x),
        Floor => floor::expand(scope, x),
        Ceil => ceil::expand(scope, x),
        Round => round::expand(scope, x),
        Trunc => trunc::expand(scope, x),
        Not => unreachable!("{} of floats", op.name()),
    };
    KernelValue::new(result, DType::F64)
}

pub fn binary(scope: &mut Scope, op: BinaryOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
    use BinaryOp::*;
    let (x, y) = (x.get::<f64>(), y.get::<f64>());
    let result = match op {
        Add => number::add::expand::<f64>(scope, x, y),
        Sub => number::sub::expand::<f64>(scope, x, y),
        Mul => number::mul::expand::<f64>(scope, x, y),
        Div => div::expand(scope, x, y),
        Max => max::expand(scope, x, y),
        Min => min::expand(scope, x, y),
        ReluGrad => relu_grad::expand(scope, x, y),
        Atan2 => math::atan2::expand(scope, x, y),
        Remainder => math::remainder::expand(scope, x, y),
        Fmod => math::fmod::expand(scope, x, y),
        Pow => math::pow::expand(scope, x, y),
        Hypot => math::length::expand(scope, x, y),
        And | Or | Xor | ShiftLeft | ShiftRight => unreachable!("{} of floats", op.name()),
    };
    KernelValue::new(result, DType::F64)
}
