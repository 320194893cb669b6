//! Functions of single elements.

use super::declare::calls;
use super::{Number, Same, rules};

calls! {
    /// `-x`.
    num ranked fn neg(x: Same) -> one rules::first => x.neg();
    /// `|x|`.
    num ranked fn abs(x: Same) -> one rules::first => x.abs();
    /// -1, 0 or 1.
    num ranked fn sign(x: Same) -> one rules::first => x.sign();
    /// `e^x`.
    float ranked fn exp(x: Same) -> one rules::first => x.exp();
    /// Natural logarithm.
    float ranked fn log(x: Same) -> one rules::first => x.log();
    /// Square root.
    float ranked fn sqrt(x: Same) -> one rules::first => x.sqrt();
    /// `1 / x`.
    float ranked fn recip(x: Same) -> one rules::first => x.recip();
    /// Sine.
    float ranked fn sin(x: Same) -> one rules::first => x.sin();
    /// Cosine.
    float ranked fn cos(x: Same) -> one rules::first => x.cos();
    /// Tangent.
    float ranked fn tan(x: Same) -> one rules::first => x.tan();
    /// Inverse sine.
    float ranked fn asin(x: Same) -> one rules::first => x.asin();
    /// Inverse cosine.
    float ranked fn acos(x: Same) -> one rules::first => x.acos();
    /// Inverse tangent.
    float ranked fn atan(x: Same) -> one rules::first => x.atan();
    /// Hyperbolic sine.
    float ranked fn sinh(x: Same) -> one rules::first => x.sinh();
    /// Hyperbolic cosine.
    float ranked fn cosh(x: Same) -> one rules::first => x.cosh();
    /// Hyperbolic tangent.
    float ranked fn tanh(x: Same) -> one rules::first => x.tanh();
    /// Inverse hyperbolic sine.
    float ranked fn asinh(x: Same) -> one rules::first => x.asinh();
    /// Inverse hyperbolic cosine.
    float ranked fn acosh(x: Same) -> one rules::first => x.acosh();
    /// Inverse hyperbolic tangent.
    float ranked fn atanh(x: Same) -> one rules::first => x.atanh();
    /// Gauss error function.
    float ranked fn erf(x: Same) -> one rules::first => x.erf();
    /// Largest integer not above.
    float ranked fn floor(x: Same) -> one rules::first => x.floor();
    /// Smallest integer not below.
    float ranked fn ceil(x: Same) -> one rules::first => x.ceil();
    /// Nearest integer, halves to the even one.
    float ranked fn round(x: Same) -> one rules::first => x.round();
    /// The integer part.
    float ranked fn trunc(x: Same) -> one rules::first => x.trunc();
    /// `x` between two bounds.
    num ranked fn clamp(x: Same, min: Number, max: Number) -> one rules::first => x.try_clamp(min, max)?;
    /// `x`, at least a bound.
    num ranked fn clamp_min(x: Same, min: Number) -> one rules::first => x.try_clamp_min(min)?;
    /// `x`, at most a bound.
    num ranked fn clamp_max(x: Same, max: Number) -> one rules::first => x.try_clamp_max(max)?;
    /// `x^exponent`.
    num ranked fn powf_scalar(x: Same, exponent: Number) -> one rules::first => x.try_powf_scalar(exponent)?;
    /// Logical negation.
    bool ranked fn bool_not(x: Same) -> one rules::first => x.bool_not();
    /// Integers with every bit turned.
    int ranked fn bitwise_not(x: Same) -> one rules::first => x.bitwise_not();
    /// Whether it is NaN.
    num ranked fn is_nan(x: Same) -> one rules::truth => x.is_nan();
    /// Whether it is infinite.
    num ranked fn is_inf(x: Same) -> one rules::truth => x.is_inf();
}
