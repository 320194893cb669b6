use crate::TensorError;
use crate::check::ensure;
use burn_backend::{CompareOp, DType, Scalar};

/// Converts a scalar that is written into, or combined with, a tensor of `dtype`. A whole float becomes an
/// integer beside integers.
///
/// # Errors
/// When a fraction, or what no integer is, stands beside integers: it would be cut off silently.
#[track_caller]
#[inline]
pub fn written(operation: &'static str, value: Scalar, dtype: DType) -> Result<Scalar, TensorError> {
    match value {
        Scalar::Float(float) if dtype.is_int() => whole(operation, float, dtype).map(Scalar::Int),
        Scalar::Float(_) | Scalar::Int(_) | Scalar::UInt(_) | Scalar::Bool(_) => Ok(value),
    }
}

/// Bounds between which every whole `f64` is an `i64`.
const BOUND: f64 = 9_223_372_036_854_775_808.0;

#[track_caller]
#[cold]
fn whole(operation: &'static str, value: f64, dtype: DType) -> Result<i64, TensorError> {
    ensure!(
        value % 1.0 == 0.0 && (-BOUND..BOUND).contains(&value),
        operation,
        "the number {value} beside a tensor of {dtype}, which holds whole numbers; use float()"
    );
    Ok(value as i64)
}

/// Returns the integer comparison equivalent to the one with `value`, or the constant result if there is
/// none.
pub fn compared(op: CompareOp, value: f64) -> Result<(CompareOp, i64), bool> {
    if value % 1.0 == 0.0 && (-BOUND..BOUND).contains(&value) {
        return Ok((op, value as i64));
    }
    if value.is_nan() {
        return Err(op == CompareOp::NotEqual);
    }
    let (below, above) = (value < -BOUND, value >= BOUND);
    // The next whole number below: rounding toward zero and one step where that went up.
    let floor = || value as i64 - i64::from(value < 0.0);
    match op {
        CompareOp::Equal => Err(false),
        CompareOp::NotEqual => Err(true),
        CompareOp::Greater | CompareOp::GreaterEqual if below || above => Err(below),
        CompareOp::Less | CompareOp::LessEqual if below || above => Err(above),
        CompareOp::Greater | CompareOp::GreaterEqual => Ok((CompareOp::Greater, floor())),
        CompareOp::Less | CompareOp::LessEqual => Ok((CompareOp::LessEqual, floor())),
    }
}

#[cfg(test)]
mod tests {
    use super::compared;
    use burn_backend::CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};

    /// By the meaning of the words: every whole number near the value is compared both ways.
    #[test]
    fn whole_numbers_compare_with_fractions_as_reals_do() {
        for value in
            [-2.5, -0.5, 0.0, 0.25, 3.0, 7.75, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]
        {
            for op in [Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual] {
                for x in -10_i64..10 {
                    let holds = |op, x: f64, y: f64| match op {
                        Equal => x == y,
                        NotEqual => x != y,
                        Greater => x > y,
                        GreaterEqual => x >= y,
                        Less => x < y,
                        LessEqual => x <= y,
                    };
                    let found = match compared(op, value) {
                        Ok((op, whole)) => holds(op, x as f64, whole as f64),
                        Err(always) => always,
                    };
                    assert_eq!(found, holds(op, x as f64, value), "{x} {op:?} {value}");
                }
            }
        }
    }
}
