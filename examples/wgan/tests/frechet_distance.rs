//! The distance beside closed forms.

use burn::backend::NdArray;
use burn::prelude::*;
use wgan::frechet_distance::frechet_distance;

type B = NdArray<f64>;

/// Four points with these means and diagonal covariances: `2/3 s^2` is the variance of `-s, s, 0, 0`.
fn points(mean: [f64; 2], spread: [f64; 2]) -> Tensor<B, 2> {
    let [x, y] = mean;
    let [s, t] = spread;
    Tensor::from_data([[x - s, y], [x + s, y], [x, y - t], [x, y + t]], &Default::default())
}

#[test]
fn the_distance_of_diagonal_covariances_is_that_of_means_and_deviations() {
    let distance = frechet_distance(points([1.0, 2.0], [3.0, 0.5]), points([0.0, 4.0], [1.0, 2.0]));
    let deviations = (2.0_f64 / 3.0) * ((3.0_f64 - 1.0).powi(2) + (0.5_f64 - 2.0).powi(2));
    let expected = (1.0 + 4.0 + deviations).sqrt();
    assert!((distance - expected).abs() < 1e-9, "{distance} {expected}");
}

#[test]
fn a_turned_sample_has_the_distance_of_its_covariance() {
    // C = diag(2/3 a^2, 2/3 b^2) and the same with the axes exchanged: d^2 = 2 * 2/3 (a - b)^2.
    let first = points([0.0, 0.0], [2.0, 1.0]);
    assert!((frechet_distance(first.clone(), first.clone().flip([1])) - (4.0_f64 / 3.0).sqrt()).abs() < 1e-9);
    // C = 2/3 diag(4, 1) and D, the same turned by 45 degrees: tr (C^(1/2) D C^(1/2))^(1/2) is, for matrices
    // of two rows, sqrt(tr(C D) + 2 sqrt(det(C D))).
    let half = 0.5_f64.sqrt();
    let turn = Tensor::<B, 2>::from_data([[half, half], [-half, half]], &Default::default());
    let trace = (4.0 * 2.5 + 1.0 * 2.5) * 4.0 / 9.0;
    let determinant = (4.0_f64 * 4.0 / 9.0).powi(2);
    let expected = (2.0 * (2.0 / 3.0) * 5.0 - 2.0 * (trace + 2.0 * determinant.sqrt()).sqrt()).sqrt();
    let distance = frechet_distance(first.clone(), first.matmul(turn));
    assert!((distance - expected).abs() < 1e-9, "{distance} {expected}");
}

#[test]
fn a_sample_has_no_distance_to_itself() {
    let sample = points([1.0, -1.0], [0.3, 2.0]);
    assert!(frechet_distance(sample.clone(), sample) < 1e-6);
}
