use super::{B, Operand, Saves, Sink, Tensor};
use burn_backend::ops::{div, mul, neg, scale, sub, zeros_like};
use burn_backend::{Backend, BinaryOp, CompareOp, Scalar, UnaryOp};

pub fn saves(op: BinaryOp) -> Saves {
    use BinaryOp::*;
    match op {
        Add | Sub => Saves::Nothing,
        Mul | Div | Pow | Max | Min => Saves::BOTH,
    }
}

pub fn backward(op: BinaryOp, lhs: &Operand, rhs: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    use BinaryOp::*;
    let g = grad.clone();
    if saves(op) == Saves::Nothing {
        sink.add(lhs, || g);
        return sink.add(rhs, || if op == Sub { neg::<B>(grad) } else { grad });
    }
    let (x, y) = (sink.value(lhs), sink.value(rhs));
    let (x2, y2) = (x.clone(), y.clone());
    sink.add(lhs, || match op {
        Mul => mul::<B>(g, y),
        Div => div::<B>(g, y),
        Pow => mul::<B>(g, mul::<B>(y.clone(), power(x, B::binary_scalar(Sub, y, Scalar::Int(1))))),
        Max => where_compared(CompareOp::GreaterEqual, x, y, g),
        Min => where_compared(CompareOp::LessEqual, x, y, g),
        Add | Sub => unreachable!("returned above"),
    });
    sink.add(rhs, || match op {
        Mul => mul::<B>(grad, x2),
        Div => neg::<B>(div::<B>(mul::<B>(grad, x2), mul::<B>(y2.clone(), y2))),
        Pow => mul::<B>(grad, mul::<B>(power(x2.clone(), y2), B::unary(UnaryOp::Log, x2))),
        Max => where_compared(CompareOp::Less, x2, y2, grad),
        Min => where_compared(CompareOp::Greater, x2, y2, grad),
        Add | Sub => unreachable!("returned above"),
    });
}

pub fn saves_scalar(op: BinaryOp) -> Saves {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Div => Saves::Nothing,
        Pow | Max | Min => Saves::FIRST,
    }
}

pub fn backward_scalar(op: BinaryOp, lhs: &Operand, rhs: Scalar, grad: Tensor, sink: &mut Sink<'_>) {
    use BinaryOp::*;
    let saved = if saves_scalar(op) == Saves::FIRST { Some(sink.value(lhs)) } else { None };
    let x = || saved.expect("saved above");
    let keep = |op, x: Tensor, grad: Tensor| {
        let zeros = zeros_like::<B>(&grad);
        B::mask_where(B::compare_scalar(op, x, rhs), grad, zeros)
    };
    sink.add(lhs, || match op {
        Add | Sub => grad,
        Mul | Div => B::binary_scalar(op, grad, rhs),
        Pow => {
            let power = B::binary_scalar(Pow, x(), Scalar::Float(rhs.to_f64() - 1.0));
            mul::<B>(grad, scale::<B>(power, rhs.to_f64()))
        }
        Max => keep(CompareOp::GreaterEqual, x(), grad),
        Min => keep(CompareOp::LessEqual, x(), grad),
    });
}

fn power(x: Tensor, exponent: Tensor) -> Tensor {
    B::binary(BinaryOp::Pow, x, exponent)
}

fn where_compared(op: CompareOp, x: Tensor, y: Tensor, grad: Tensor) -> Tensor {
    let zeros = sub::<B>(grad.clone(), grad.clone());
    B::mask_where(B::compare(op, x, y), grad, zeros)
}
