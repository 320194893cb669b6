use super::{B, Operand, Saves, Sink, Tensor};
use crate::checkpoint::Source;
use burn_backend::ops::{div, mul, neg, one_minus, scale, square, zeros_like};
use burn_backend::{Backend, CompareOp, Scalar, UnaryOp};
use std::f64::consts::FRAC_2_SQRT_PI;

pub fn saves(op: UnaryOp) -> Saves {
    use UnaryOp::*;
    match op {
        Neg => Saves::Nothing,
        Abs | Log | Sin | Cos | Erf => Saves::FIRST,
        Exp | Sqrt | Recip | Tanh | Relu | Sigmoid => Saves::Output,
        Sign | Floor | Not => Saves::NotDifferentiable,
    }
}

pub fn backward(op: UnaryOp, x: &Operand, output: &Option<Source>, grad: Tensor, sink: &mut Sink<'_>) {
    use UnaryOp::*;
    // `saved` is the input or the output, as `saves` says.
    let saved = match saves(op) {
        Saves::Nothing => return sink.add(x, || neg::<B>(grad)),
        Saves::Output => sink.restore(output),
        Saves::Inputs(_) => sink.value(x),
        Saves::NotDifferentiable => unreachable!("not differentiable"),
    };
    let unary = |op, x: Tensor| B::unary(op, x);
    sink.add(x, || match op {
        Abs => mul::<B>(grad, unary(Sign, saved)),
        Log => div::<B>(grad, saved),
        Sin => mul::<B>(grad, unary(Cos, saved)),
        Cos => mul::<B>(grad, neg::<B>(unary(Sin, saved))),
        Erf => mul::<B>(grad, scale::<B>(unary(Exp, neg::<B>(square::<B>(saved))), FRAC_2_SQRT_PI)),
        Exp => mul::<B>(grad, saved),
        Sqrt => div::<B>(scale::<B>(grad, 0.5), saved),
        Recip => mul::<B>(grad, neg::<B>(square::<B>(saved))),
        Tanh => mul::<B>(grad, one_minus::<B>(square::<B>(saved))),
        Relu => {
            let zeros = zeros_like::<B>(&grad);
            B::mask_where(B::compare_scalar(CompareOp::Greater, saved, Scalar::Int(0)), grad, zeros)
        }
        Sigmoid => mul::<B>(grad, mul::<B>(saved.clone(), one_minus::<B>(saved))),
        Neg | Sign | Floor | Not => unreachable!("returned above"),
    });
}
