//! Arithmetic of two tensors, whose shapes broadcast, or of a tensor and a number.

use super::declare::calls;
use super::{Erased, Mask, Number, Same, rules};

calls! {
    /// `a + b`.
    num erased fn add(a: Erased, b: Erased) -> one rules::broadcast => a.try_add(b)?;
    /// `a - b`.
    num erased fn sub(a: Erased, b: Erased) -> one rules::broadcast => a.try_sub(b)?;
    /// `a * b`.
    num erased fn mul(a: Erased, b: Erased) -> one rules::broadcast => a.try_mul(b)?;
    /// `a / b`; of integers, toward zero.
    num erased fn div(a: Erased, b: Erased) -> one rules::broadcast => a.try_div(b)?;
    /// Remainder with the sign of the divisor.
    num erased fn remainder(a: Erased, b: Erased) -> one rules::broadcast => a.try_remainder(b)?;
    /// Remainder with the sign of the dividend.
    num ranked fn fmod(a: Same, b: Same) -> one rules::broadcast => a.try_fmod(b)?;
    /// The larger of two.
    num ranked fn max_pair(a: Same, b: Same) -> one rules::broadcast => a.try_max_pair(b)?;
    /// The smaller of two.
    num ranked fn min_pair(a: Same, b: Same) -> one rules::broadcast => a.try_min_pair(b)?;
    /// `a^b` of floats.
    float ranked fn powf(a: Same, b: Same) -> one rules::broadcast => a.try_powf(b)?;
    /// `a^b` of integers.
    int ranked fn powi(a: Same, b: Same) -> one rules::broadcast => a.try_powi(b)?;
    /// `x + value`.
    num erased fn add_scalar(x: Erased, value: Number) -> one rules::first => x.try_add_scalar(value)?;
    /// `x - value`.
    num erased fn sub_scalar(x: Erased, value: Number) -> one rules::first => x.try_sub_scalar(value)?;
    /// `x * value`.
    num erased fn mul_scalar(x: Erased, value: Number) -> one rules::first => x.try_mul_scalar(value)?;
    /// `x / value`.
    num erased fn div_scalar(x: Erased, value: Number) -> one rules::first => x.try_div_scalar(value)?;
    /// Remainder with the sign of the divisor.
    num erased fn remainder_scalar(x: Erased, value: Number) -> one rules::first => x.try_remainder_scalar(value)?;
    /// Both.
    bool ranked fn bool_and(a: Mask, b: Mask) -> one rules::broadcast => a.try_bool_and(b)?;
    /// At least one.
    bool ranked fn bool_or(a: Mask, b: Mask) -> one rules::broadcast => a.try_bool_or(b)?;
    /// One of two.
    bool ranked fn bool_xor(a: Mask, b: Mask) -> one rules::broadcast => a.try_bool_xor(b)?;
    /// Bits that both have.
    int ranked fn bitwise_and(a: Same, b: Same) -> one rules::broadcast => a.try_bitwise_and(b)?;
    /// Bits that at least one has.
    int ranked fn bitwise_or(a: Same, b: Same) -> one rules::broadcast => a.try_bitwise_or(b)?;
    /// Bits that one of two has.
    int ranked fn bitwise_xor(a: Same, b: Same) -> one rules::broadcast => a.try_bitwise_xor(b)?;
    /// Bits moved up.
    int ranked fn bitwise_left_shift(a: Same, b: Same) -> one rules::broadcast => a.try_bitwise_left_shift(b)?;
    /// Bits moved down.
    int ranked fn bitwise_right_shift(a: Same, b: Same) -> one rules::broadcast => a.try_bitwise_right_shift(b)?;
}
