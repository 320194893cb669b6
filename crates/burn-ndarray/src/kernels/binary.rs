use crate::elements::dtype::{self, Kernel};
use crate::elements::strided::{self, One, StridedOperand};
use crate::kernels::math::{Float, double};
use crate::kernels::unary;
use crate::left_out::with_feature;
use crate::simd::{Run, dispatch, walk, zip};
use crate::tensor::NdTensor;
use burn_backend::{BinaryOp, DType, HasSpec, Scalar, Shape, TensorSpec, UnaryOp};

/// Elements that are tested together for functions that know only some arguments.
const PART: usize = 1024;

pub fn binary(op: BinaryOp, mut lhs: NdTensor, mut rhs: NdTensor) -> NdTensor {
    let dtype = lhs.spec().dtype;
    let kernel = |run: &Run<2>| kernel(op, dtype, run);
    let shape = broadcast_shape(lhs.shape(), rhs.shape());
    if lhs.is_writable() && shape.as_ref().is_none_or(|shape| shape == lhs.shape()) {
        strided::run(&mut lhs, [StridedOperand::Out, StridedOperand::Tensor(&rhs)], cost(op), &kernel);
        return lhs;
    }
    if rhs.is_writable() && shape.as_ref().is_none_or(|shape| shape == rhs.shape()) {
        strided::run(&mut rhs, [StridedOperand::Tensor(&lhs), StridedOperand::Out], cost(op), &kernel);
        return rhs;
    }
    let mut out = NdTensor::new(TensorSpec { shape: shape.unwrap_or_else(|| lhs.shape().clone()), dtype });
    strided::run(&mut out, [StridedOperand::Tensor(&lhs), StridedOperand::Tensor(&rhs)], cost(op), &kernel);
    out
}

pub fn binary_scalar(op: BinaryOp, lhs: NdTensor, rhs: Scalar) -> NdTensor {
    let dtype = lhs.spec().dtype;
    match WithNumber::new(op, dtype, rhs) {
        WithNumber::Unary(op) => unary::unary(op, lhs),
        WithNumber::Binary(op, one) => with_scalar(lhs, one, cost(op), &|run| kernel(op, dtype, run)),
    }
}

/// A function of an element and a number, as the kernel that computes it in the least time.
#[derive(Clone, Copy, Debug)]
pub enum WithNumber {
    Unary(UnaryOp),
    Binary(BinaryOp, One),
}

impl WithNumber {
    pub fn new(op: BinaryOp, dtype: DType, rhs: Scalar) -> Self {
        let (op, rhs) = cheaper(op, dtype, rhs);
        match as_unary(op, dtype, rhs) {
            Some(op) => WithNumber::Unary(op),
            None => WithNumber::Binary(op, One::new(rhs, dtype)),
        }
    }
}

/// The same function in less time: dividing by a power of two is multiplying by its reciprocal, which is
/// exact.
fn cheaper(op: BinaryOp, dtype: DType, rhs: Scalar) -> (BinaryOp, Scalar) {
    if op != BinaryOp::Div || !dtype.is_float() {
        return (op, rhs);
    }
    let value = rhs.to_f64();
    let is_power_of_two = value.to_bits().trailing_zeros() >= f64::MANTISSA_DIGITS - 1;
    // Both are normal numbers of every float type.
    let is_normal = (6e-5..2e4).contains(&value.abs());
    if is_power_of_two && is_normal { (BinaryOp::Mul, Scalar::Float(1.0 / value)) } else { (op, rhs) }
}

/// The same function of one operand, for powers that have one.
fn as_unary(op: BinaryOp, dtype: DType, rhs: Scalar) -> Option<UnaryOp> {
    if op != BinaryOp::Pow || !dtype.is_float() {
        return None;
    }
    match rhs.to_f64() {
        2.0 => Some(UnaryOp::Square),
        -1.0 => Some(UnaryOp::Recip),
        _ => None,
    }
}

pub fn kernel(op: BinaryOp, dtype: DType, run: &Run<2>) {
    // Wrapping operations have the same bits for signed and unsigned integers, and need no wider type.
    let wraps = match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
        BinaryOp::Div
        | BinaryOp::Remainder
        | BinaryOp::Fmod
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min => false,
        BinaryOp::Atan2
        | BinaryOp::Hypot
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::ReluGrad => false,
    };
    if wraps && (dtype == DType::I32 || dtype == DType::U32) {
        return wrapping_u32(op, run);
    }
    dtype::run(op.name(), dtype, op, run);
}

#[inline(always)]
fn wrapping<const FMA: bool>(op: BinaryOp, run: &Run<2>) {
    match op {
        BinaryOp::Add => zip(run, |x: u32, y| x.wrapping_add(y)),
        BinaryOp::Sub => zip(run, |x: u32, y| x.wrapping_sub(y)),
        BinaryOp::Mul => zip(run, |x: u32, y| x.wrapping_mul(y)),
        BinaryOp::And => zip(run, |x: u32, y| x & y),
        BinaryOp::Or => zip(run, |x: u32, y| x | y),
        BinaryOp::Xor => zip(run, |x: u32, y| x ^ y),
        BinaryOp::Div
        | BinaryOp::Remainder
        | BinaryOp::Fmod
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2
        | BinaryOp::Hypot
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::ReluGrad => {
            unreachable!("{} does not wrap", op.name())
        }
    }
}
dispatch! { narrow fn wrapping_u32(op: BinaryOp, run: &Run<2>) = wrapping }

/// Runs a kernel of `x` and one element, in place if nothing else holds `x`.
fn with_scalar(mut x: NdTensor, one: One, cost: usize, kernel: &(dyn Fn(&Run<2>) + Sync)) -> NdTensor {
    if x.is_writable() {
        strided::run(&mut x, [StridedOperand::Out, StridedOperand::One(&one)], cost, kernel);
        return x;
    }
    let mut out = NdTensor::new(x.spec().clone());
    strided::run(&mut out, [StridedOperand::Tensor(&x), StridedOperand::One(&one)], cost, kernel);
    out
}

/// The shape that both are repeated to; `None` if it is that of both.
pub fn broadcast_shape(lhs: &Shape, rhs: &Shape) -> Option<Shape> {
    if lhs == rhs {
        return None;
    }
    let (wide, narrow) = if lhs.len() >= rhs.len() { (lhs, rhs) } else { (rhs, lhs) };
    let mut shape = wide.clone();
    let extra = wide.len() - narrow.len();
    for (size, &other) in shape[extra..].iter_mut().zip(narrow.iter()) {
        if *size == 1 {
            *size = other;
        }
    }
    Some(shape)
}

/// Time of one element, in additions.
pub fn cost(op: BinaryOp) -> usize {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Max | Min | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => 1,
        Div => 2,
        Remainder | Fmod | Pow | Atan2 | Hypot => 16,
    }
}

#[inline(always)]
fn float<E: Float, const FMA: bool>(op: BinaryOp, run: &Run<2>) {
    match op {
        BinaryOp::Add => zip(run, |x: E, y| x + y),
        BinaryOp::Sub => zip(run, |x: E, y| x - y),
        BinaryOp::Mul => zip(run, |x: E, y| x * y),
        BinaryOp::Div => zip(run, |x: E, y| x / y),
        BinaryOp::Max => zip(run, E::max),
        BinaryOp::Min => zip(run, E::min),
        BinaryOp::ReluGrad => zip(run, |x: E, y| if x <= E::ZERO { E::ZERO } else { y }),
        BinaryOp::Remainder | BinaryOp::Fmod => rest::<E>(run, op == BinaryOp::Remainder),
        BinaryOp::Pow if run.is_repeated(1) && run.all(1, |y: E| y == E::of(0.5)) => {
            zip(run, |x: E, _| root(x))
        }
        BinaryOp::Pow if run.is_repeated(1) && run.all(1, |y: E| y == E::of(3.0)) => {
            zip(run, |x: E, _| cube(x))
        }
        BinaryOp::Pow => pow_of_parts::<E>(run),
        BinaryOp::Atan2 => walk!(run, E, [0 y: E, 1 x: E], y.atan2::<FMA>(x)),
        BinaryOp::Hypot => calls::<E>(run, |x, y| E::of(double::hypot(x.wide(), y.wide()))),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            unreachable!("{} of floats", op.name())
        }
    }
}

/// `x^(1/2)`, which knows that the root of -inf is no power.
#[inline(always)]
fn root<E: Float>(x: E) -> E {
    if x == E::of(f64::NEG_INFINITY) { -x } else { (x + E::ZERO).sqrt() }
}

#[inline(always)]
fn cube<E: Float>(x: E) -> E {
    x * x * x
}

/// Powers, in parts that are plain or not. The formula of an element depends on its operands alone, not on
/// the part.
#[inline(always)]
fn pow_of_parts<E: Float>(run: &Run<2>) {
    let special = |x: E, y: E, power: E| {
        let power = if y == E::of(3.0) { cube(x) } else { power };
        if y == E::of(0.5) { root(x) } else { power }
    };
    for part in run.parts(PART) {
        if part.all(0, |x: E| x.is_plain_base()) && part.all(1, |y: E| y.wide().is_finite()) {
            walk!(&part, E, [0 x: E, 1 y: E], special(x, y, x.plain_pow(y)));
        } else {
            walk!(&part, E, [0 x: E, 1 y: E], {
                let is_plain = x.is_plain_base() && y.wide().is_finite();
                special(x, y, if is_plain { x.plain_pow(y) } else { x.pow(y) })
            });
        }
    }
}

/// Rests of divisions, in parts that have short quotients or not.
#[inline(always)]
fn rest<E: Float>(run: &Run<2>, signed: bool) {
    for part in run.parts(PART) {
        if part.all_pairs(|x: E, y: E| x.is_short_division(y)) {
            walk!(&part, E, [0 x: E, 1 y: E], {
                let rest = x.short_fmod(y);
                if signed { rest.on_side_of(y) } else { rest }
            });
        } else if signed {
            calls::<E>(&part, Float::remainder);
        } else {
            calls::<E>(&part, |x, y| E::of(x.wide() % y.wide()));
        }
    }
}

#[inline(never)]
fn calls<E: Float>(run: &Run<2>, f: fn(E, E) -> E) {
    zip(run, f);
}

/// `x^y` modulo 2^64; below one for `y < 0`, so rounded toward zero.
fn pow(x: i64, y: i64) -> i64 {
    match (x, y) {
        (1, _) => 1,
        (-1, _) => 1 - 2 * (y & 1),
        (_, ..0) => 0,
        (x, y) => pow_unsigned(x as u64, y as u64) as i64,
    }
}

fn pow_unsigned(mut x: u64, mut y: u64) -> u64 {
    let mut result = 1_u64;
    while y > 0 {
        if y & 1 == 1 {
            result = result.wrapping_mul(x);
        }
        x = x.wrapping_mul(x);
        y >>= 1;
    }
    result
}

/// Quotient toward zero; 0 if there is none.
#[inline(always)]
fn div(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_div(y) }
}

/// Remainder with the sign of the dividend; 0 if there is none.
#[inline(always)]
fn fmod(x: i64, y: i64) -> i64 {
    if y == 0 { 0 } else { x.wrapping_rem(y) }
}

/// Remainder with the sign of the divisor; 0 if there is none.
#[inline(always)]
fn remainder(x: i64, y: i64) -> i64 {
    let rest = fmod(x, y);
    if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }
}

#[inline(always)]
fn div_unsigned(x: u64, y: u64) -> u64 {
    x.checked_div(y).unwrap_or(0)
}

#[inline(always)]
fn remainder_unsigned(x: u64, y: u64) -> u64 {
    x.checked_rem(y).unwrap_or(0)
}

/// Narrower elements are cut to their width afterwards, so that nothing is left of what is shifted out of it.
#[inline(always)]
fn shift_left(x: i64, y: i64) -> i64 {
    if (0..64).contains(&y) { x << y } else { 0 }
}

/// Narrower elements come with their sign, so that 63 is as far as any of them can be shifted.
#[inline(always)]
fn shift_right(x: i64, y: i64) -> i64 {
    x >> if (0..64).contains(&y) { y } else { 63 }
}

#[inline(always)]
fn shift_left_unsigned(x: u64, y: u64) -> u64 {
    if y < 64 { x << y } else { 0 }
}

#[inline(always)]
fn shift_right_unsigned(x: u64, y: u64) -> u64 {
    if y < 64 { x >> y } else { 0 }
}

macro_rules! int {
    ($body:ident, $ty:ident, $div:ident, $remainder:ident, $fmod:ident, $pow:ident, $left:ident, $right:ident) => {
        #[inline(always)]
        fn $body<const FMA: bool>(op: BinaryOp, run: &Run<2>) {
            match op {
                BinaryOp::Add => zip(run, |x: $ty, y| x.wrapping_add(y)),
                BinaryOp::Sub => zip(run, |x: $ty, y| x.wrapping_sub(y)),
                BinaryOp::Mul => zip(run, |x: $ty, y| x.wrapping_mul(y)),
                BinaryOp::Div => zip(run, $div),
                BinaryOp::Remainder => zip(run, $remainder),
                BinaryOp::Fmod => zip(run, $fmod),
                BinaryOp::Pow => zip(run, $pow),
                BinaryOp::Max => zip(run, |x: $ty, y| x.max(y)),
                BinaryOp::Min => zip(run, |x: $ty, y| x.min(y)),
                BinaryOp::And => zip(run, |x: $ty, y| x & y),
                BinaryOp::Or => zip(run, |x: $ty, y| x | y),
                BinaryOp::Xor => zip(run, |x: $ty, y| x ^ y),
                BinaryOp::ShiftLeft => zip(run, $left),
                BinaryOp::ShiftRight => zip(run, $right),
                BinaryOp::Atan2 | BinaryOp::Hypot | BinaryOp::ReluGrad => {
                    unreachable!("{} of integers", op.name())
                }
            }
        }
    };
}

int!(signed, i64, div, remainder, fmod, pow, shift_left, shift_right);
int!(
    unsigned,
    u64,
    div_unsigned,
    remainder_unsigned,
    remainder_unsigned,
    pow_unsigned,
    shift_left_unsigned,
    shift_right_unsigned
);

#[inline(always)]
fn single<const FMA: bool>(op: BinaryOp, run: &Run<2>) {
    float::<f32, FMA>(op, run);
}

#[inline(always)]
fn wide<const FMA: bool>(op: BinaryOp, run: &Run<2>) {
    float::<f64, FMA>(op, run);
}

dispatch! { fn binary_f32(op: BinaryOp, run: &Run<2>) = single }
dispatch! { fn binary_f64(op: BinaryOp, run: &Run<2>) = wide }
dispatch! { narrow fn binary_i64(op: BinaryOp, run: &Run<2>) = signed }
dispatch! { narrow fn binary_u64(op: BinaryOp, run: &Run<2>) = unsigned }

impl Kernel<2> for BinaryOp {
    fn f64(self, run: &Run<2>) {
        with_feature!("dtypes", self.name(), binary_f64(self, run));
    }
    fn f32(self, run: &Run<2>) {
        binary_f32(self, run);
    }
    fn i64(self, run: &Run<2>) {
        binary_i64(self, run);
    }
    fn u64(self, run: &Run<2>) {
        with_feature!("dtypes", self.name(), binary_u64(self, run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_follow_pytorch() {
        assert_eq!([div(7, 2), div(-7, 2), div(i64::MIN, -1)], [3, -3, i64::MIN]);
        assert_eq!([remainder(7, 3), remainder(-7, 3), remainder(7, -3), remainder(-6, 3)], [1, 2, -2, 0]);
        assert_eq!([pow(2, 10), pow(-3, 3), pow(2, -1), pow(-1, -3), pow(0, 0)], [1024, -27, 0, -1, 1]);
        assert_eq!([shift_left(-5, 1), shift_left(5, 64), shift_left(5, -1)], [-10, 0, 0]);
        assert_eq!([shift_right(-5, 1), shift_right(-5, 64), shift_right(5, -1)], [-3, -1, 0]);
    }

    #[test]
    fn only_powers_of_two_have_an_exact_reciprocal() {
        for (divisor, factor) in [(2.0, 0.5), (-0.25, -4.0), (1.0, 1.0), (8192.0, 1.0 / 8192.0)] {
            let cheaper = cheaper(BinaryOp::Div, DType::F32, Scalar::Float(divisor));
            assert_eq!(cheaper, (BinaryOp::Mul, Scalar::Float(factor)));
        }
        for divisor in [3.0, 0.0, -0.0, 1e-40, f64::INFINITY, f64::NAN, 32768.0, 0.75] {
            assert_eq!(cheaper(BinaryOp::Div, DType::F32, Scalar::Float(divisor)).0, BinaryOp::Div);
        }
        assert_eq!(cheaper(BinaryOp::Div, DType::I32, Scalar::Int(2)).0, BinaryOp::Div);
    }

    #[test]
    fn integers_by_zero_are_zero() {
        assert_eq!([div(1, 0), remainder(1, 0), fmod(1, 0), pow(0, -1)], [0; 4]);
        assert_eq!([div_unsigned(1, 0), remainder_unsigned(1, 0)], [0; 2]);
    }
}
