//! Assertions that host tensors are the same, or close, for tests.

use crate::{Dims, FloatElement, Shape, TensorData, Tolerance};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// Maximum number of differing elements in a message.
const LISTED: usize = 5;

impl TensorData {
    /// Asserts that the shapes and all values are those of `other`, the expected data; if `strict`, the dtype
    /// too.
    ///
    /// Without `strict` values are compared as numbers, where `true` is 1: floats in the dtype of `self`,
    /// integers exactly, an integer beside a float as `f64`. NaN equals NaN, and 0.0 equals -0.0. PyTorch:
    /// `torch.testing.assert_close(rtol=0, atol=0)`.
    ///
    /// ```
    /// use burn_ir::TensorData;
    /// TensorData::from([1_i64, 2]).assert_eq(&TensorData::from([1.0_f32, 2.0]), false);
    /// ```
    ///
    /// # Panics
    /// When they are not, with the number of elements that differ, the first of them and the largest
    /// differences.
    #[track_caller]
    pub fn assert_eq(&self, other: &TensorData, strict: bool) {
        assert!(
            !strict || self.dtype == other.dtype,
            "assert_eq: the dtypes differ; expected {}, got {}. Compare values only with `strict` false",
            other.dtype,
            self.dtype
        );
        self.assert_shape("assert_eq", other);
        let expected = rounded_to_dtype_of(self, other);
        let values = || self.iter::<f64>().zip(expected.iter::<f64>());
        let places: Vec<usize> = if self.dtype.is_float() || expected.dtype.is_float() {
            places(values().map(|(x, y)| x != y && !(x.is_nan() && y.is_nan())))
        } else {
            places(self.iter_i128().zip(expected.iter_i128()).map(|(x, y)| x != y))
        };
        if !places.is_empty() {
            let shown = |at: usize| (self.element_text(at), expected.element_text(at));
            panic!(
                "assert_eq: {}",
                report(&self.shape, "differ", &places, &values().collect::<Vec<_>>(), &shown)
            );
        }
    }

    /// Asserts that the shapes are the same and all values, converted to `F`, as close to those of `other`,
    /// the expected data, as `tolerance` asks.
    ///
    /// NaN is close to NaN, and an infinity to itself. PyTorch: `torch.testing.assert_close`.
    ///
    /// ```
    /// use burn_ir::{TensorData, Tolerance};
    /// let third = TensorData::from([0.333_f32, 1.0 / 3.0]);
    /// third.assert_approx_eq::<f32>(&TensorData::from([1.0 / 3.0, 1.0 / 3.0]), Tolerance::absolute(1e-3));
    /// ```
    ///
    /// # Panics
    /// When they are not, with the number of elements that differ, the first of them and the largest
    /// differences.
    #[track_caller]
    pub fn assert_approx_eq<F: FloatElement>(&self, other: &TensorData, tolerance: Tolerance<F>) {
        self.assert_shape("assert_approx_eq", other);
        let pairs = || self.iter::<F>().zip(other.iter::<F>());
        let places = places(pairs().map(|(x, y)| !tolerance.is_close(x, y)));
        if !places.is_empty() {
            let values: Vec<(f64, f64)> = pairs().map(|(x, y)| (x.to_f64(), y.to_f64())).collect();
            let shown = |at: usize| {
                let (x, y): (F, F) = (F::from_f64(values[at].0), F::from_f64(values[at].1));
                (format!("{x:?}"), format!("{y:?}"))
            };
            let what = format!("differ by more than {tolerance}");
            panic!("assert_approx_eq: {}", report(&self.shape, &what, &places, &values, &shown));
        }
    }

    #[track_caller]
    fn assert_shape(&self, operation: &str, other: &TensorData) {
        let (found, expected) = (&self.shape, &other.shape);
        assert!(found == expected, "{operation}: the shapes differ; expected {expected:?}, got {found:?}");
    }
}

/// Expected floats of another precision, rounded to that of `data`.
fn rounded_to_dtype_of(data: &TensorData, expected: &TensorData) -> TensorData {
    let both = data.dtype.is_float() && expected.dtype.is_float();
    if both { expected.clone().convert_dtype(data.dtype) } else { expected.clone() }
}

/// Where `differs` is true.
fn places(differs: impl Iterator<Item = bool>) -> Vec<usize> {
    differs.enumerate().filter_map(|(at, differs)| differs.then_some(at)).collect()
}

/// Coordinates of the element at `place` in row-major order.
fn coordinates(shape: &Shape, place: usize) -> Dims {
    shape.strides().iter().zip(shape.iter()).map(|(stride, size)| place / stride % size).collect()
}

/// The largest of `differences` and where it is; NaN, of a value beside NaN, is the largest of all.
fn largest(differences: impl Iterator<Item = (usize, f64)>) -> (usize, f64) {
    differences
        .map(|(at, difference)| (at, if difference.is_nan() { f64::INFINITY } else { difference }))
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap_or_default()
}

/// Writes the message about the elements at `places`, at least one. `values` are pairs of the value found and
/// the expected one.
fn report(
    shape: &Shape,
    what: &str,
    places: &[usize],
    values: &[(f64, f64)],
    shown: &dyn Fn(usize) -> (String, String),
) -> String {
    let difference = |at: usize| (values[at].0 - values[at].1).abs();
    let (at_most, most) = largest(places.iter().map(|&at| (at, difference(at))));
    let (at_ratio, ratio) = largest(places.iter().map(|&at| (at, difference(at) / values[at].1.abs())));
    let (count, all) = (places.len(), shape.num_elements());
    let mut text = format!(
        "{count} of {all} elements of shape {shape:?} {what}; the largest absolute difference is {most:e} at {:?}, the \
         largest relative difference {ratio:e} at {:?}",
        coordinates(shape, at_most),
        coordinates(shape, at_ratio),
    );
    for &at in &places[..count.min(LISTED)] {
        let (x, y) = shown(at);
        // Writing to a string does not fail.
        let _ = write!(text, "\n  at {:?}: expected {y}, got {x}", coordinates(shape, at));
    }
    if count > LISTED {
        let _ = write!(text, "\n  and {} more", count - LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::{TensorData, Tolerance};
    use alloc::boxed::Box;
    use alloc::string::String;

    fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
        *std::panic::catch_unwind(f)
            .expect_err("it panics")
            .downcast::<String>()
            .unwrap_or_else(|_| Box::default())
    }

    #[test]
    fn assert_eq_compares_integers_exactly_and_floats_in_the_dtype_of_self() {
        TensorData::from([i64::MAX]).assert_eq(&TensorData::from([i64::MAX as u64]), false);
        let next = || TensorData::from([i64::MAX]).assert_eq(&TensorData::from([i64::MAX - 1]), true);
        assert!(message(next).contains("expected 9223372036854775806, got 9223372036854775807"));
        TensorData::from([0.1_f32]).assert_eq(&TensorData::from([0.1_f64]), false);
        TensorData::from([true, false]).assert_eq(&TensorData::from([1_u8, 0]), false);
        TensorData::from([f32::NAN, 0.0]).assert_eq(&TensorData::from([f32::NAN, -0.0]), true);
    }

    #[test]
    fn assert_eq_says_which_dtype_and_which_shape_were_expected() {
        let dtype = message(|| TensorData::from([1_i64]).assert_eq(&TensorData::from([1_i32]), true));
        assert!(dtype.contains("expected i32, got i64"), "{dtype}");
        let shape = message(|| TensorData::from([[1]]).assert_eq(&TensorData::from([1]), false));
        assert!(shape.contains("expected [1], got [1, 1]"), "{shape}");
    }

    /// The differences of the pairs, computed by hand: 0.5 of 2 and 1 of 8.
    #[test]
    fn assert_approx_eq_lists_the_first_and_the_largest_differences() {
        let found = TensorData::from([[1.0_f32, 2.5], [4.0, 9.0]]);
        let expected = TensorData::from([[1.0_f32, 2.0], [4.0, 8.0]]);
        let text = message(|| found.assert_approx_eq::<f32>(&expected, Tolerance::relative(0.1)));
        let lines: alloc::vec::Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("assert_approx_eq: 2 of 4 elements of shape [2, 2] differ by more than"),
            "{text}"
        );
        assert!(lines[0].contains("absolute difference is 1e0 at [1, 1]"), "{text}");
        assert!(lines[0].contains("relative difference 2.5e-1 at [0, 1]"), "{text}");
        assert_eq!(lines[1..], ["  at [0, 1]: expected 2.0, got 2.5", "  at [1, 1]: expected 8.0, got 9.0"]);
    }

    #[test]
    fn assert_approx_eq_compares_in_the_precision_asked_for() {
        let (third, single) = (TensorData::from([1.0 / 3.0_f64]), TensorData::from([1.0 / 3.0_f32]));
        third.assert_approx_eq::<f32>(&single, Tolerance::strict());
        let text = message(|| third.assert_approx_eq::<f64>(&single, Tolerance::strict()));
        assert!(text.contains("1 of 1 elements"), "{text}");
    }

    #[test]
    fn a_long_list_of_differences_is_cut() {
        let text = message(|| TensorData::from([1; 9]).assert_eq(&TensorData::from([0; 9]), true));
        assert_eq!(text.lines().count(), 7);
        assert!(text.ends_with("and 4 more"), "{text}");
    }
}
