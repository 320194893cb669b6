//! Functions of integers, and those that floats and integers share. `N` is set to the type of the operands
//! before each.

use cubecl::prelude::*;

#[cube]
pub fn add<N: Numeric>(x: N, y: N) -> N {
    x + y
}

#[cube]
pub fn sub<N: Numeric>(x: N, y: N) -> N {
    x - y
}

#[cube]
pub fn mul<N: Numeric>(x: N, y: N) -> N {
    x * y
}

#[cube]
pub fn float_div(x: f32, y: f32) -> f32 {
    x / y
}

/// Computes the correctly rounded `x / y`, given the rounded `1 / y`, which is not near the ends of the
/// range: the remainder of the product is exact, and corrects the rounding (Markstein, 1990).
#[cube]
pub fn quotient(x: f32, y: f32, inverse: f32) -> f32 {
    let near = x * inverse;
    let rest = fma(-near, y, x);
    let result = fma(rest, inverse, near);
    // The correction would lose the sign of zero, and make NaN of infinity.
    let size = crate::ops::math::magnitude(near);
    select(size > 0.0f32 && size < crate::ops::math::infinity(), result, near)
}

#[cube]
pub fn int_max<N: Numeric>(x: N, y: N) -> N {
    select(x > y, x, y)
}

#[cube]
pub fn int_min<N: Numeric>(x: N, y: N) -> N {
    select(x < y, x, y)
}

#[cube]
pub fn int_neg<N: Int>(x: N) -> N {
    N::from_int(0) - x
}

#[cube]
pub fn int_abs<N: Int>(x: N, #[comptime] signed: bool) -> N {
    if comptime!(signed) { select(x < N::from_int(0), N::from_int(0) - x, x) } else { x }
}

#[cube]
pub fn int_sign<N: Int>(x: N, #[comptime] signed: bool) -> N {
    let positive = select(x == N::from_int(0), N::from_int(0), N::from_int(1));
    if comptime!(signed) { select(x < N::from_int(0), N::from_int(-1), positive) } else { positive }
}

#[cube]
pub fn int_relu<N: Int>(x: N, #[comptime] signed: bool) -> N {
    if comptime!(signed) { select(x < N::from_int(0), N::from_int(0), x) } else { x }
}

/// Divides toward zero; 0 where the divisor is 0. The smallest integer by -1 wraps.
#[cube]
pub fn int_div<N: Int>(x: N, y: N, #[comptime] signed: bool) -> N {
    if comptime!(signed) {
        let special = y == N::from_int(0) || y == N::from_int(-1);
        let quotient = x / select(special, N::from_int(1), y);
        let edge = select(y == N::from_int(0), N::from_int(0), N::from_int(0) - x);
        select(special, edge, quotient)
    } else {
        let quotient = x / select(y == N::from_int(0), N::from_int(1), y);
        select(y == N::from_int(0), N::from_int(0), quotient)
    }
}

#[cube]
pub fn int_fmod<N: Int>(x: N, y: N, #[comptime] signed: bool) -> N {
    let rest = x - int_div::<N>(x, y, signed) * y;
    select(y == N::from_int(0), N::from_int(0), rest)
}

#[cube]
pub fn int_remainder<N: Int>(x: N, y: N, #[comptime] signed: bool) -> N {
    let rest = int_fmod::<N>(x, y, signed);
    if comptime!(signed) {
        let zero = N::from_int(0);
        select(rest != zero && ((rest < zero) != (y < zero)), rest + y, rest)
    } else {
        rest
    }
}

#[cube]
pub fn int_pow<N: Int>(x: N, y: N, #[comptime] signed: bool) -> N {
    let zero = N::from_int(0);
    let one = N::from_int(1);
    let mut result = N::from_int(1);
    let mut square = x + zero;
    let mut rest = y + zero;
    while rest > zero {
        if (rest & one) == one {
            result *= square;
        }
        square *= square;
        rest = rest >> one;
    }
    if comptime!(signed) {
        let alternating = one - (y & one) * N::from_int(2);
        let base = select(x == N::from_int(-1), alternating, select(x == one, one, zero));
        select(y < zero, base, result)
    } else {
        result
    }
}

#[cube]
pub fn int_and<N: Int>(x: N, y: N) -> N {
    x & y
}

#[cube]
pub fn int_or<N: Int>(x: N, y: N) -> N {
    x | y
}

#[cube]
pub fn int_xor<N: Int>(x: N, y: N) -> N {
    x ^ y
}

#[cube]
pub fn int_not<N: Int>(x: N) -> N {
    N::from_int(0) - x - N::from_int(1)
}

/// Shifts left; `bits` is the width of the type.
#[cube]
pub fn int_shift_left<N: Int>(x: N, y: N, #[comptime] bits: i64) -> N {
    let inside = y >= N::from_int(0) && y < N::from_int(bits);
    let shifted = x << select(inside, y, N::from_int(0));
    select(inside, shifted, N::from_int(0))
}

#[cube]
pub fn int_shift_right<N: Int>(x: N, y: N, #[comptime] bits: i64, #[comptime] signed: bool) -> N {
    let inside = y >= N::from_int(0) && y < N::from_int(bits);
    if comptime!(signed) {
        x >> select(inside, y, N::from_int(bits - 1))
    } else {
        let shifted = x >> select(inside, y, N::from_int(0));
        select(inside, shifted, N::from_int(0))
    }
}

#[cube]
pub fn equal<N: Numeric>(x: N, y: N) -> bool {
    x == y
}

#[cube]
pub fn less<N: Numeric>(x: N, y: N) -> bool {
    x < y
}

#[cube]
pub fn less_equal<N: Numeric>(x: N, y: N) -> bool {
    x <= y
}

#[cube]
pub fn flip(x: bool) -> bool {
    !x
}

#[cube]
pub fn both(x: bool, y: bool) -> bool {
    x && y
}

#[cube]
pub fn either(x: bool, y: bool) -> bool {
    x || y
}

#[cube]
pub fn differ(x: bool, y: bool) -> bool {
    (x && !y) || (!x && y)
}

#[cube]
pub fn choose<N: Numeric>(mask: bool, on: N, off: N) -> N {
    select(mask, on, off)
}

#[cube]
pub fn is_true<N: Numeric>(x: N) -> bool {
    !(x == N::from_int(0))
}

#[cube]
pub fn of_bool<N: Numeric>(x: bool) -> N {
    select(x, N::from_int(1), N::from_int(0))
}

/// Converts toward zero; numbers out of range saturate to `least` or `largest`, and NaN becomes 0. `low` is
/// the largest float at or below the type's range, `high` the smallest above it.
#[cube]
pub fn int_of_float<N: Int>(x: f32, low: f32, high: f32, least: N, largest: N) -> N {
    let inside = x > low && x < high;
    let whole = N::cast_from(select(inside, x, 0.0f32));
    let result = select(x >= high, largest, whole);
    let result = select(x <= low, least, result);
    select(crate::ops::math::is_nan(x), N::from_int(0), result)
}

#[cube]
pub fn float_max(x: f32, y: f32) -> f32 {
    select(crate::ops::math::is_nan(x) || x > y, x, y)
}

#[cube]
pub fn float_min(x: f32, y: f32) -> f32 {
    select(crate::ops::math::is_nan(x) || x < y, x, y)
}

#[cube]
pub fn float_sign(x: f32) -> f32 {
    // Zero of both zeros, NaN of NaN.
    select(x > 0.0f32, 1.0f32, select(x < 0.0f32, -1.0f32, select(x == 0.0f32, 0.0f32, x)))
}

#[cube]
pub fn float_neg(x: f32) -> f32 {
    f32::reinterpret(u32::reinterpret(x) ^ 0x8000_0000u32)
}

#[cube]
pub fn float_relu(x: f32) -> f32 {
    select(x < 0.0f32, 0.0f32, x)
}

#[cube]
pub fn float_relu_grad(x: f32, y: f32) -> f32 {
    select(x <= 0.0f32, 0.0f32, y)
}

#[cube]
pub fn float_recip(x: f32) -> f32 {
    1.0f32 / x
}

#[cube]
pub fn float_sqrt(x: f32) -> f32 {
    x.sqrt()
}

#[cube]
pub fn float_floor(x: f32) -> f32 {
    x.floor()
}

#[cube]
pub fn float_ceil(x: f32) -> f32 {
    x.ceil()
}

#[cube]
pub fn float_trunc(x: f32) -> f32 {
    x.trunc()
}

/// Rounds to the nearest integer, ties to even.
#[cube]
pub fn float_round(x: f32) -> f32 {
    let below = x.floor();
    let rest = x - below;
    let half = below * 0.5f32;
    let up = rest > 0.5f32 || (rest == 0.5f32 && half != half.floor());
    let result = select(up, below + 1.0f32, below);
    let result = select(crate::ops::math::magnitude(x) < 8_388_608.0f32, result, x);
    crate::ops::math::copy_sign(result, x)
}

/// An integer of one width as one of another: the low bits, or with the sign before them.
#[cube]
pub fn convert<N: Numeric, M: Numeric>(x: N) -> M {
    M::cast_from(x)
}

/// A number from its bits.
#[cube]
pub fn of_word<N: Numeric>(low: u32) -> N {
    N::reinterpret(low)
}

#[cube]
pub fn of_words<N: Numeric>(low: u32, high: u32) -> N {
    N::reinterpret((u64::cast_from(high) << 32u64) | u64::cast_from(low))
}
