//! assertions on host values, for tests.

use crate::expect::panics;
use burn::tensor::{TensorData, Tolerance, bf16, f16};

#[test]
fn x_025_assert_eq_compares_values_and_if_strict_dtypes() {
    let data = TensorData::from([[1_i64, 2], [3, 4]]);
    data.assert_eq(&TensorData::from([[1_i64, 2], [3, 4]]), true);
    data.assert_eq(&TensorData::from([[1_u8, 2], [3, 4]]), false);
    data.assert_eq(&TensorData::from([[1.0_f32, 2.0], [3.0, 4.0]]), false);
    let message = panics(|| data.assert_eq(&TensorData::from([[1_i32, 2], [3, 4]]), true));
    assert!(message.contains("expected i32, got i64"), "{message}");
    let message = panics(|| data.assert_eq(&TensorData::from([1_i64, 2, 3, 4]), false));
    assert!(message.contains("expected [4], got [2, 2]"), "{message}");
    // A fraction is no integer that it would be cut off to.
    let message = panics(|| data.assert_eq(&TensorData::from([[1.5, 2.0], [3.0, 4.0]]), false));
    assert!(
        message.contains("1 of 4 elements") && message.contains("at [0, 0]: expected 1.5, got 1"),
        "{message}"
    );
}

#[test]
fn x_025_assert_eq_knows_nan_signed_zeros_and_large_integers() {
    TensorData::from([f32::NAN, 0.0]).assert_eq(&TensorData::from([f32::NAN, -0.0]), true);
    panics(|| TensorData::from([f32::NAN]).assert_eq(&TensorData::from([0.0_f32]), true));
    // Neighbours that are one number as `f64`.
    let message = panics(|| TensorData::from([i64::MAX]).assert_eq(&TensorData::from([i64::MAX - 1]), true));
    assert!(message.contains("expected 9223372036854775806, got 9223372036854775807"), "{message}");
}

#[test]
fn x_025_assert_approx_eq_takes_a_tolerance_of_an_element_type() {
    let found = TensorData::from([100.0_f32, 0.0, f32::INFINITY, f32::NAN]);
    let expected = TensorData::from([100.5_f64, 0.001, f64::INFINITY, f64::NAN]);
    found.assert_approx_eq::<f32>(&expected, Tolerance::rel_abs(0.01, 0.01));
    found.assert_approx_eq::<f32>(&expected, Tolerance::permissive());
    panics(|| found.assert_approx_eq::<f32>(&expected, Tolerance::relative(0.01)));
    panics(|| found.assert_approx_eq::<f32>(&expected, Tolerance::absolute(0.01)));
    panics(|| found.assert_approx_eq::<f32>(&expected, Tolerance::default()));
    // Both are the same in half precision: its neighbours at 100 are 1/16 apart.
    let near = TensorData::from([100.01_f32]);
    near.assert_approx_eq::<f16>(&TensorData::from([100.0_f32]), Tolerance::strict());
    near.assert_approx_eq::<bf16>(&TensorData::from([100.0_f32]), Tolerance::strict());
    panics(|| near.assert_approx_eq::<f32>(&TensorData::from([100.0_f32]), Tolerance::strict()));
}

#[test]
fn x_025_default_bounds_half_a_percent_and_a_hundred_thousandth() {
    let close = |x: f64, y: f64| Tolerance::<f64>::default().is_close(x, y);
    assert!(close(1.0049, 1.0) && !close(1.0051, 1.0));
    assert!(close(9e-6, 0.0) && !close(1.1e-5, 0.0));
    assert!(!close(f64::MAX, f64::INFINITY));
}

#[test]
fn x_025_a_message_has_the_first_differences_and_the_largest() {
    let found = TensorData::from([[1.0_f32, 2.5, 3.0], [4.0, 9.0, 6.0]]);
    let expected = TensorData::from([[1.0_f32, 2.0, 3.0], [4.0, 8.0, 6.0]]);
    let message = panics(|| found.assert_approx_eq::<f32>(&expected, Tolerance::relative(0.1)));
    for part in [
        "assert_approx_eq: 2 of 6 elements of shape [2, 3] differ by more than 0.0 + 0.1 * |expected|",
        "the largest absolute difference is 1e0 at [1, 1]",
        "the largest relative difference 2.5e-1 at [0, 1]",
        "at [0, 1]: expected 2.0, got 2.5",
        "at [1, 1]: expected 8.0, got 9.0",
    ] {
        assert!(message.contains(part), "{part}\n is not in\n{message}");
    }
}

#[test]
fn x_025_data_of_zeros_and_of_ones() {
    TensorData::zeros::<f32, _>([2, 3]).assert_eq(&TensorData::from([[0.0_f32; 3]; 2]), true);
    TensorData::ones::<i64, _>([2]).assert_eq(&TensorData::from([1_i64, 1]), true);
    TensorData::ones::<bool, _>([1]).assert_eq(&TensorData::from([true]), true);
    TensorData::full::<u8, _>(7, [2]).assert_eq(&TensorData::from([7_u8, 7]), true);
}
