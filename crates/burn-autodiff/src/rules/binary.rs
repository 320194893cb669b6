use super::{B, Operand, Saves, Sink, Tensor};
use burn_backend::ops::{add, div, keep_where, mul, narrow, neg, scale, square, wide};
use burn_backend::{BinaryOp, CompareOp, HasSpec, Scalar, TypedCalls, UnaryOp};

pub fn saves(op: BinaryOp) -> Saves {
    use BinaryOp::*;
    match op {
        Add | Sub => Saves::Nothing,
        Mul => Saves::EachOther,
        ReluGrad => Saves::FIRST,
        Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min => Saves::BOTH,
        And | Or | Xor | ShiftLeft | ShiftRight => Saves::Nothing,
    }
}

pub fn backward(op: BinaryOp, lhs: &Operand, rhs: &Operand, grad: Tensor, sink: &mut Sink<'_>) {
    use BinaryOp::*;
    let g = grad.clone();
    if op == Mul {
        if let Some(y) = sink.other(rhs, lhs) {
            sink.add(lhs, || mul::<B>(g, y));
        }
        if let Some(x) = sink.other(lhs, rhs) {
            sink.add(rhs, || mul::<B>(grad, x));
        }
        return;
    }
    if op == ReluGrad {
        let x = sink.value(lhs);
        return sink.add(rhs, || B::binary(ReluGrad, x, grad));
    }
    if saves(op) == Saves::Nothing {
        sink.add(lhs, || g);
        return sink.add(rhs, || if op == Sub { neg::<B>(grad) } else { grad });
    }
    let (x, y) = (sink.value(lhs), sink.value(rhs));
    let (x2, y2) = (x.clone(), y.clone());
    sink.add(lhs, || match op {
        Div => div::<B>(g, y),
        Remainder | Fmod => g,
        Pow => mul::<B>(g, slope_of_power(x, y)),
        Atan2 => over_squares(g, y.clone(), x, y),
        Hypot => mul::<B>(g, over_hypot(x, y)),
        Max => share(CompareOp::Greater, x, y, g),
        Min => share(CompareOp::Less, x, y, g),
        Add | Sub | Mul | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => {
            unreachable!("returned above")
        }
    });
    sink.add(rhs, || match op {
        Div => slope_of_divisor(grad, x2, y2),
        Remainder => mul::<B>(grad, neg::<B>(B::unary(UnaryOp::Floor, div::<B>(x2, y2)))),
        Fmod => mul::<B>(grad, neg::<B>(B::unary(UnaryOp::Trunc, div::<B>(x2, y2)))),
        Pow => mul::<B>(grad, mul::<B>(power(x2.clone(), y2.clone()), log_or_zero(x2, y2))),
        Atan2 => neg::<B>(over_squares(grad, x2.clone(), x2, y2)),
        Hypot => mul::<B>(grad, over_hypot(y2, x2)),
        Max => share(CompareOp::Greater, y2, x2, grad),
        Min => share(CompareOp::Less, y2, x2, grad),
        Add | Sub | Mul | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => {
            unreachable!("returned above")
        }
    });
}

pub fn saves_scalar(op: BinaryOp) -> Saves {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Div | Remainder | Fmod => Saves::Nothing,
        Pow | Atan2 | Hypot | Max | Min => Saves::FIRST,
        ReluGrad | And | Or | Xor | ShiftLeft | ShiftRight => Saves::Nothing,
    }
}

pub fn backward_scalar(op: BinaryOp, lhs: &Operand, rhs: Scalar, grad: Tensor, sink: &mut Sink<'_>) {
    use BinaryOp::*;
    let saved = if saves_scalar(op) == Saves::FIRST { Some(sink.value(lhs)) } else { None };
    let x = || saved.expect("saved above");
    let y = rhs.to_f64();
    sink.add(lhs, || match op {
        Add | Sub | Remainder | Fmod => grad,
        Mul | Div => B::binary_scalar(op, grad, rhs),
        Pow if y == 0.0 => scale::<B>(grad, 0.0),
        Pow => {
            let power = B::binary_scalar(Pow, x(), Scalar::Float(y - 1.0));
            mul::<B>(grad, scale::<B>(power, y))
        }
        // Also at the origin, where it would be 0 / 0.
        Atan2 if y == 0.0 => scale::<B>(grad, 0.0),
        Atan2 => {
            let dtype = grad.dtype();
            let norm = B::binary_scalar(Add, square::<B>(wide::<B>(x())), Scalar::Float(y * y));
            narrow::<B>(div::<B>(scale::<B>(wide::<B>(grad), y), norm), dtype)
        }
        Hypot => {
            let x = x();
            let size = B::binary_scalar(Hypot, x.clone(), rhs);
            mul::<B>(grad, part_of_size(x, size))
        }
        Max => keep_where::<B>(CompareOp::GreaterEqual, x(), rhs, grad),
        Min => keep_where::<B>(CompareOp::LessEqual, x(), rhs, grad),
        And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => unreachable!("not differentiable"),
    });
}

/// Passes the gradient where `x` is within the limits.
pub fn clamp(x: &Operand, min: Option<Scalar>, max: Option<Scalar>, grad: Tensor, sink: &mut Sink<'_>) {
    let value = sink.value(x);
    sink.add(x, || {
        let above = match min {
            Some(min) => keep_where::<B>(CompareOp::GreaterEqual, value.clone(), min, grad),
            None => grad,
        };
        match max {
            Some(max) => keep_where::<B>(CompareOp::LessEqual, value, max, above),
            None => above,
        }
    });
}

fn power(x: Tensor, exponent: Tensor) -> Tensor {
    B::binary(BinaryOp::Pow, x, exponent)
}

/// `x / hypot(x, y)`, and 0 where both are 0.
fn over_hypot(x: Tensor, y: Tensor) -> Tensor {
    part_of_size(x.clone(), B::binary(BinaryOp::Hypot, x, y))
}

/// `x / size`, and 0 where the size is 0.
fn part_of_size(x: Tensor, size: Tensor) -> Tensor {
    let origin = B::compare_scalar(CompareOp::Equal, size.clone(), Scalar::Int(0));
    B::mask_fill(div::<B>(x, size), origin, Scalar::Int(0))
}

/// `grad * side / (x^2 + y^2)`, and 0 where `x` and `y` are 0. Of half-precision numbers in `f32`, where
/// squares neither overflow nor vanish.
fn over_squares(grad: Tensor, side: Tensor, x: Tensor, y: Tensor) -> Tensor {
    let dtype = grad.dtype();
    let origin = B::binary(
        BinaryOp::And,
        B::compare_scalar(CompareOp::Equal, x.clone(), Scalar::Int(0)),
        B::compare_scalar(CompareOp::Equal, y.clone(), Scalar::Int(0)),
    );
    let squares = add::<B>(square::<B>(wide::<B>(x)), square::<B>(wide::<B>(y)));
    let slope = div::<B>(mul::<B>(wide::<B>(grad), wide::<B>(side)), squares);
    B::mask_fill(narrow::<B>(slope, dtype), origin, Scalar::Int(0))
}

/// `-grad * x / y^2`, of half-precision numbers in `f32`.
fn slope_of_divisor(grad: Tensor, x: Tensor, y: Tensor) -> Tensor {
    let dtype = grad.dtype();
    let slope = div::<B>(mul::<B>(wide::<B>(grad), wide::<B>(x)), square::<B>(wide::<B>(y)));
    neg::<B>(narrow::<B>(slope, dtype))
}

fn minus_one(x: Tensor) -> Tensor {
    B::binary_scalar(BinaryOp::Sub, x, Scalar::Int(1))
}

/// `y * x^(y - 1)`, and 0 where `y` is 0: `x^0` is 1, also at 0.
fn slope_of_power(x: Tensor, y: Tensor) -> Tensor {
    let constant = B::compare_scalar(CompareOp::Equal, y.clone(), Scalar::Int(0));
    // The mask broadcasts to the slope.
    B::mask_fill(mul::<B>(y.clone(), power(x, minus_one(y))), constant, Scalar::Int(0))
}

/// `log(x)`, and 0 where `x^y * log(x)` goes to 0: at 0, unless `y` is negative.
fn log_or_zero(x: Tensor, y: Tensor) -> Tensor {
    let zero = B::compare_scalar(CompareOp::Equal, x.clone(), Scalar::Int(0));
    let grows = B::compare_scalar(CompareOp::Less, y, Scalar::Int(0));
    let zero = B::binary(BinaryOp::And, zero, B::unary(UnaryOp::Not, grows));
    let log = B::expand(B::unary(UnaryOp::Log, x), zero.shape());
    B::mask_fill(log, zero, Scalar::Int(0))
}

/// All of the gradient where `x` wins, half of it where the two are equal.
fn share(wins: CompareOp, x: Tensor, y: Tensor, grad: Tensor) -> Tensor {
    let equal = B::cast(B::compare(CompareOp::Equal, x.clone(), y.clone()), grad.dtype());
    let won = B::cast(B::compare(wins, x, y), grad.dtype());
    mul::<B>(grad, add::<B>(won, scale::<B>(equal, 0.5)))
}
