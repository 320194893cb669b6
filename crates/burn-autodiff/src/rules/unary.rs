use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::SavedTensor;
use burn_backend::ops::{add, div, mul, narrow, neg, one_minus, scale, square, wide, zeros_like};
use burn_backend::{BinaryOp, HasSpec, Scalar, TypedCalls, UnaryOp};
use core::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// `1 / sqrt(2 pi)`, the density of the normal distribution at zero.
const NORMAL_PEAK: f64 = 0.398_942_280_401_432_7;

pub fn saves(op: UnaryOp) -> Saves {
    use UnaryOp::*;
    match op {
        // Steps are flat wherever they have a slope: the gradient is zero, and not missing.
        Neg | Sign | Floor | Ceil | Round | Trunc | Not => Saves::Nothing,
        Abs | Square | Log | Log1p | Sin | Cos | Asin | Acos | Atan | Sinh | Cosh => Saves::FIRST,
        Asinh | Acosh | Atanh | Erf | LogSigmoid | Gelu | GeluTanh | Silu => Saves::FIRST,
        Exp | ExpM1 | Sqrt | Recip | Tan | Tanh | Relu | Sigmoid => Saves::Output,
        #[cfg(feature = "test-operation")]
        Cube => Saves::FIRST,
    }
}

pub fn backward(op: UnaryOp, x: &Operand, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    use UnaryOp::*;
    // `saved` is the input or the output, as `saves` says.
    let saved = match saves(op) {
        Saves::Nothing if op == Neg => return sink.add(x, || neg::<B>(grad)),
        Saves::Nothing => return sink.add(x, || zeros_like::<B>(&grad)),
        Saves::Output => sink.restore(output),
        Saves::Inputs(_) | Saves::InputsAndOutput(_) | Saves::InputsAndOutputs(_) | Saves::EachOther => {
            sink.value(x)
        }
    };
    if has_square(op) {
        let dtype = grad.dtype();
        let (grad, saved) = (wide::<B>(grad), wide::<B>(saved));
        return sink.add(x, || narrow::<B>(gradient(op, grad, saved), dtype));
    }
    sink.add(x, || gradient(op, grad, saved));
}

/// Returns whether the gradient divides or multiplies by a square, which half precision may not have:
/// computed in `f32`.
fn has_square(op: UnaryOp) -> bool {
    use UnaryOp::*;
    match op {
        Asin | Acos | Atan | Atanh | Recip | Tan | GeluTanh => true,
        Neg | Sign | Floor | Ceil | Round | Trunc | Abs | Square | Log | Log1p | Sin | Cos | Sinh | Cosh => {
            false
        }
        Asinh | Acosh | Erf | LogSigmoid | Gelu | Silu | Exp | ExpM1 | Sqrt | Tanh | Relu | Sigmoid | Not => {
            false
        }
        #[cfg(feature = "test-operation")]
        Cube => false,
    }
}

/// Computes the gradient from the saved input or output.
fn gradient(op: UnaryOp, grad: Tensor, saved: Tensor) -> Tensor {
    use UnaryOp::*;
    match op {
        Abs => mul::<B>(grad, unary(Sign, saved)),
        Square => mul::<B>(grad, scale::<B>(saved, 2.0)),
        #[cfg(feature = "test-operation")]
        Cube => mul::<B>(grad, scale::<B>(square::<B>(saved), 3.0)),
        Log => div::<B>(grad, saved),
        Log1p => div::<B>(grad, plus(saved, 1.0)),
        Sin => mul::<B>(grad, unary(Cos, saved)),
        Cos => mul::<B>(grad, neg::<B>(unary(Sin, saved))),
        Asin => div::<B>(grad, unary(Sqrt, one_minus::<B>(square::<B>(saved)))),
        Acos => neg::<B>(div::<B>(grad, unary(Sqrt, one_minus::<B>(square::<B>(saved))))),
        Atan => div::<B>(grad, plus(square::<B>(saved), 1.0)),
        Sinh => mul::<B>(grad, unary(Cosh, saved)),
        Cosh => mul::<B>(grad, unary(Sinh, saved)),
        // By way of the hypotenuse, so that nothing overflows far out.
        Asinh => div::<B>(grad, B::binary_scalar(BinaryOp::Hypot, saved, Scalar::Int(1))),
        Acosh => {
            let roots = mul::<B>(unary(Sqrt, plus(saved.clone(), -1.0)), unary(Sqrt, plus(saved, 1.0)));
            div::<B>(grad, roots)
        }
        Atanh => div::<B>(grad, one_minus::<B>(square::<B>(saved))),
        Erf => mul::<B>(grad, scale::<B>(gauss(saved, 1.0), FRAC_2_SQRT_PI)),
        LogSigmoid => mul::<B>(grad, unary(Sigmoid, neg::<B>(saved))),
        Gelu => mul::<B>(grad, gelu_slope(saved)),
        GeluTanh => mul::<B>(grad, gelu_tanh_slope(saved)),
        Silu => mul::<B>(grad, silu_slope(saved)),
        Exp => mul::<B>(grad, saved),
        ExpM1 => mul::<B>(grad, plus(saved, 1.0)),
        Sqrt => div::<B>(scale::<B>(grad, 0.5), saved),
        Recip => mul::<B>(grad, neg::<B>(square::<B>(saved))),
        Tan => mul::<B>(grad, plus(square::<B>(saved), 1.0)),
        Tanh => mul::<B>(grad, one_minus::<B>(square::<B>(saved))),
        Relu => B::binary(BinaryOp::ReluGrad, saved, grad),
        Sigmoid => mul::<B>(grad, mul::<B>(saved.clone(), one_minus::<B>(saved))),
        Neg | Sign | Floor | Ceil | Round | Trunc | Not => unreachable!("returned above"),
    }
}

fn unary(op: UnaryOp, x: Tensor) -> Tensor {
    B::unary(op, x)
}

fn plus(x: Tensor, value: f64) -> Tensor {
    B::binary_scalar(BinaryOp::Add, x, Scalar::Float(value))
}

/// `e^(-x^2 * width)`.
fn gauss(x: Tensor, width: f64) -> Tensor {
    unary(UnaryOp::Exp, scale::<B>(square::<B>(x), -width))
}

/// `cdf(x) + x * pdf(x)` of the normal distribution.
fn gelu_slope(x: Tensor) -> Tensor {
    let cdf = scale::<B>(plus(unary(UnaryOp::Erf, scale::<B>(x.clone(), FRAC_1_SQRT_2)), 1.0), 0.5);
    add::<B>(cdf, mul::<B>(x.clone(), scale::<B>(gauss(x, 0.5), NORMAL_PEAK)))
}

/// `s * (1 + x * (1 - s) * z')` with `s = sigmoid(z)` and `z = 2 sqrt(2 / pi) (x + 0.044715 x^3)`.
fn gelu_tanh_slope(x: Tensor) -> Tensor {
    const SLOPE: f64 = FRAC_2_SQRT_PI * SQRT_2;
    const CUBE: f64 = SLOPE * 0.044_715;
    let squares = square::<B>(x.clone());
    let z = mul::<B>(x.clone(), plus(scale::<B>(squares.clone(), CUBE), SLOPE));
    let rise = mul::<B>(x, plus(scale::<B>(squares, 3.0 * CUBE), SLOPE));
    let s = unary(UnaryOp::Sigmoid, z);
    mul::<B>(s.clone(), plus(mul::<B>(rise, one_minus::<B>(s)), 1.0))
}

/// `s * (1 + x * (1 - s))` with `s = sigmoid(x)`.
fn silu_slope(x: Tensor) -> Tensor {
    let s = unary(UnaryOp::Sigmoid, x.clone());
    mul::<B>(s.clone(), plus(mul::<B>(x, one_minus::<B>(s)), 1.0))
}
