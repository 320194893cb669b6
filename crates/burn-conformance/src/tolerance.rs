//! How far a result may be from its definition. The one table.

use burn_backend::{BinaryOp, DType, IndexUpdate, UnaryOp};

/// Largest accepted error of the elements of a result.
#[derive(Clone, Debug)]
pub enum Tolerance {
    /// The exact value, rounded once. Values that are copied; operations that IEEE 754 rounds correctly,
    /// which are also right in a narrow type when computed in a type of more than twice the digits.
    Rounded,
    /// [`Tolerance::Rounded`], but the sign of a zero is open.
    RoundedAnyZero,
    /// Units in the last place of the value, or of `floor` if that is larger.
    Ulps { ulps: f64, floor: f64 },
    /// Sums: by element, the sum of the magnitudes of the terms and their number. Errors of `n` roundings add
    /// up like a random walk, `sqrt(n)` steps of half a unit of the partial sums; twice that is accepted.
    /// Half precision is summed in `f32`.
    Sum { magnitudes: Vec<f64>, terms: usize },
}

/// Distance of 1 from the next larger number.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 2_f64.powi(-10),
        DType::BF16 => 2_f64.powi(-7),
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => 0.0,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => 0.0,
    }
}

/// Smallest and largest positive normal number of a float dtype.
pub fn range(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::F64 => (f64::MIN_POSITIVE, f64::MAX),
        DType::F32 => (f32::MIN_POSITIVE.into(), f32::MAX.into()),
        DType::F16 => (2_f64.powi(-14), 65504.0),
        DType::BF16 => (f32::MIN_POSITIVE.into(), burn_backend::bf16::MAX.to_f64()),
        DType::I64 | DType::I32 | DType::I16 | DType::I8 => (1.0, f64::INFINITY),
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => (1.0, f64::INFINITY),
    }
}

pub fn unary(op: UnaryOp, dtype: DType) -> Tolerance {
    use UnaryOp::*;
    // Where the exact value is below the smallest normal number, a factor of it may be too large or too small
    // for the dtype.
    let underflow = range(dtype).0 / epsilon(dtype).max(f64::MIN_POSITIVE);
    match op {
        Neg | Abs | Sign | Square | Sqrt | Recip | Floor | Ceil | Round | Trunc | Not => Tolerance::Rounded,
        Relu => Tolerance::RoundedAnyZero,
        // Kernels and the reference itself are good to about one unit; polynomials for vectors to three.
        Exp | ExpM1 | Log | Log1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh
        | Acosh | Atanh | Erf => Tolerance::Ulps { ulps: 4.0, floor: 0.0 },
        Sigmoid | LogSigmoid => Tolerance::Ulps { ulps: 4.0, floor: underflow },
        // `x` times a factor that underflows, where `|x|` is about 100.
        Silu => Tolerance::Ulps { ulps: 4.0, floor: 128.0 * underflow },
        // `1 + erf(x)` cancels for negative `x`.
        Gelu | GeluTanh => Tolerance::Ulps { ulps: 4.0, floor: 1.0 },
    }
}

pub fn binary(op: BinaryOp) -> Tolerance {
    use BinaryOp::*;
    match op {
        Add | Sub | Mul | Div | Fmod | And | Or | Xor | ShiftLeft | ShiftRight | ReluGrad => {
            Tolerance::Rounded
        }
        Max | Min => Tolerance::RoundedAnyZero,
        // The last step may add the divisor, after a rounding.
        Remainder => Tolerance::Ulps { ulps: 1.0, floor: 0.0 },
        Pow | Atan2 | Hypot => Tolerance::Ulps { ulps: 4.0, floor: 0.0 },
    }
}

/// An indexed write: what is added or multiplied, up to `largest`, is rounded in the dtype, a few times per
/// position.
pub fn written(update: IndexUpdate, largest: f64) -> Tolerance {
    match update {
        IndexUpdate::Assign => Tolerance::Rounded,
        IndexUpdate::Min | IndexUpdate::Max => Tolerance::RoundedAnyZero,
        IndexUpdate::Add | IndexUpdate::Multiply => Tolerance::Ulps { ulps: 8.0, floor: largest },
    }
}

/// A result for whose elements whole matrices are worked through, so many rows and columns; half precision is
/// computed in `f32`. The matrices are well conditioned.
pub fn matrix(dtype: DType, steps: usize, largest: f64) -> Tolerance {
    let inner = epsilon(dtype).min(f64::from(f32::EPSILON));
    let ulps = 1.0 + (64.0 + 16.0 * steps as f64) * inner / epsilon(dtype);
    Tolerance::Ulps { ulps, floor: largest }
}

/// Conversions round once; two roundings (by way of a wider type) are half a unit more.
pub fn cast() -> Tolerance {
    Tolerance::Ulps { ulps: 1.0, floor: 0.0 }
}

/// `e^(x - max)` and a sum of them: the argument is rounded, which shows `|x - max|` times as large.
pub fn softmax(dtype: DType, terms: usize) -> Tolerance {
    let underflow = range(dtype).0 / epsilon(dtype);
    Tolerance::Ulps { ulps: 16.0 + (terms as f64).sqrt(), floor: underflow }
}

/// A difference of numbers of about this size.
pub fn log_softmax(terms: usize, size: f64) -> Tolerance {
    Tolerance::Ulps { ulps: 8.0 + (terms as f64).sqrt(), floor: size.max(1.0) }
}

/// Rows that are centred and divided by their deviation, with results and intermediate values of about this
/// size.
pub fn layer_norm(terms: usize, size: f64) -> Tolerance {
    Tolerance::Ulps { ulps: 16.0 + (terms as f64).sqrt(), floor: size }
}

/// Sums of so many terms, weighted by exponentials of rounded scores, with intermediate values of about this
/// size.
pub fn attention(terms: usize, size: f64) -> Tolerance {
    Tolerance::Ulps { ulps: 16.0 + 2.0 * (terms as f64).sqrt(), floor: size }
}

/// States that go through so many steps, each a sum of so many terms of values of about this size.
pub fn recurrent(dtype: DType, steps: usize, terms: usize, size: f64) -> Tolerance {
    // Half precision is computed in `f32`, and rounded at the end.
    let inner = epsilon(dtype).min(f64::from(f32::EPSILON)) / epsilon(dtype);
    let ulps = 1.0 + (steps as f64 + 1.0) * (16.0 + 2.0 * (terms as f64).sqrt()) * inner;
    Tolerance::Ulps { ulps, floor: size }
}

impl Tolerance {
    /// Whether `found` will do for element `at`, whose exact value is `exact` and `rounded` in the dtype.
    pub fn accepts(&self, at: usize, found: f64, exact: f64, rounded: f64, dtype: DType) -> bool {
        if exact.is_nan() || found.is_nan() {
            return exact.is_nan() && found.is_nan();
        }
        if found == rounded {
            let sign_matters = matches!(self, Tolerance::Rounded) && rounded == 0.0;
            return !sign_matters || found.is_sign_negative() == rounded.is_sign_negative();
        }
        let (smallest, largest) = range(dtype);
        let unit = epsilon(dtype);
        let allowed = match self {
            Tolerance::Rounded | Tolerance::RoundedAnyZero => return false,
            Tolerance::Ulps { ulps, floor } => ulps * unit * exact.abs().max(*floor).max(smallest),
            Tolerance::Sum { magnitudes, terms } => {
                let inner = unit.min(f64::from(f32::EPSILON));
                unit * exact.abs().max(smallest) + (2.0 + (*terms as f64).sqrt()) * inner * magnitudes[at]
            }
        };
        if found.is_infinite() || rounded.is_infinite() {
            let edge = largest * (1.0 - 8.0 * unit);
            return found.signum() == rounded.signum() && found.abs() >= edge && exact.abs() >= edge;
        }
        (found - exact).abs() <= allowed
    }
}
