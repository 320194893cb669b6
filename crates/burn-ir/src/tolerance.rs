use crate::FloatElement;
use core::fmt;
use core::marker::PhantomData;

/// Tolerance of a comparison: a value `x` and the expected value `y` are close if `|x - y| <= absolute +
/// relative * |y|`.
///
/// `F` is the element type in which [`TensorData::assert_approx_eq`](crate::TensorData::assert_approx_eq)
/// compares. PyTorch: `rtol` and `atol` of `torch.testing.assert_close`.
///
/// ```
/// use burn_ir::Tolerance;
/// let tolerance = Tolerance::<f32>::rel_abs(1e-3, 1e-6);
/// assert!(tolerance.is_close(1000.5, 1000.0));
/// assert!(!tolerance.is_close(1e-5, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance<F> {
    relative: f64,
    absolute: f64,
    element: PhantomData<F>,
}

impl<F: FloatElement> Default for Tolerance<F> {
    /// Returns 0.5 % and `1e-5`: more than one rounding to `bf16` (0.4 %).
    fn default() -> Self {
        Self::rel_abs(0.005, 1e-5)
    }
}

impl<F: FloatElement> Tolerance<F> {
    /// Returns a tolerance of `relative` times the expected magnitude, plus `absolute`.
    ///
    /// # Panics
    /// When one of them is negative or NaN.
    #[track_caller]
    pub fn rel_abs(relative: impl Into<f64>, absolute: impl Into<f64>) -> Self {
        let (relative, absolute) = (relative.into(), absolute.into());
        assert!(
            relative >= 0.0 && absolute >= 0.0,
            "Tolerance: a tolerance is negative or NaN; expected numbers from 0, got relative {relative} and absolute \
             {absolute}"
        );
        Tolerance { relative, absolute, element: PhantomData }
    }

    /// Returns a tolerance of `relative` times the expected magnitude: none where 0 is expected.
    ///
    /// # Panics
    /// As [`Tolerance::rel_abs`].
    #[track_caller]
    pub fn relative(relative: impl Into<f64>) -> Self {
        Self::rel_abs(relative, 0.0)
    }

    /// Returns a tolerance of `absolute`, whatever the magnitude.
    ///
    /// # Panics
    /// As [`Tolerance::rel_abs`].
    #[track_caller]
    pub fn absolute(absolute: impl Into<f64>) -> Self {
        Self::rel_abs(0.0, absolute)
    }

    /// Returns 1 % and `0.01`, for what was computed in half precision.
    pub fn permissive() -> Self {
        Self::rel_abs(0.01, 0.01)
    }

    /// Returns no tolerance: the values are the same in `F`.
    pub fn strict() -> Self {
        Self::rel_abs(0.0, 0.0)
    }

    /// Returns whether `value` is within the tolerance of `expected`. NaN is close to NaN, and an infinity to
    /// itself.
    pub fn is_close(&self, value: F, expected: F) -> bool {
        let (x, y) = (value.to_f64(), expected.to_f64());
        // An infinite expectation would make the bound infinite.
        x == y
            || (x.is_nan() && y.is_nan())
            || (y.is_finite() && (x - y).abs() <= self.absolute + self.relative * y.abs())
    }
}

impl<F> fmt::Display for Tolerance<F> {
    /// The bound: `0.00001 + 0.005 * |expected|`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} + {:?} * |expected|", self.absolute, self.relative)
    }
}

#[cfg(test)]
mod tests {
    use super::Tolerance;
    use half::f16;

    #[test]
    fn is_close_adds_the_absolute_to_the_relative_bound() {
        let tolerance = Tolerance::<f64>::rel_abs(0.25, 0.5);
        assert!(tolerance.is_close(5.5, 4.0));
        assert!(!tolerance.is_close(5.51, 4.0));
        assert!(tolerance.is_close(-5.5, -4.0));
        assert!(!Tolerance::<f64>::relative(0.25).is_close(1e-9, 0.0));
        assert!(Tolerance::<f64>::absolute(1).is_close(7.0, 6.0));
    }

    #[test]
    fn is_close_of_nan_and_infinities_is_of_themselves_only() {
        let tolerance = Tolerance::<f32>::permissive();
        assert!(tolerance.is_close(f32::NAN, f32::NAN));
        assert!(!tolerance.is_close(f32::NAN, 0.0));
        assert!(tolerance.is_close(f32::INFINITY, f32::INFINITY));
        assert!(!tolerance.is_close(f32::NEG_INFINITY, f32::INFINITY));
        assert!(!tolerance.is_close(1.0, f32::INFINITY));
        assert!(!tolerance.is_close(f32::INFINITY, 1.0));
    }

    #[test]
    fn strict_has_no_bound() {
        assert!(Tolerance::strict().is_close(0.0_f64, -0.0));
        assert!(!Tolerance::strict().is_close(1.0_f64, 1.0 + f64::EPSILON));
        assert!(!Tolerance::strict().is_close(f16::from_f32(1.0), f16::from_f32(1.001)));
    }

    #[test]
    #[should_panic(expected = "got relative NaN and absolute 0")]
    fn nan_is_no_tolerance() {
        let _ = Tolerance::<f32>::relative(f64::NAN);
    }
}
