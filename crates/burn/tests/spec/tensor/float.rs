//! TF: operations of Float tensors.

use crate::expect::{exactly, nearly};
use crate::given::{B, CPU, float, int};
use crate::torch;
use burn::backend::NdArray;
use burn::tensor::backend::Backend;
use burn::tensor::{DType, Distribution, Tensor};

#[test]
fn tf_001_exp() {
    let x = float::<1>([-4.0, -1.5, 0.0, 1.0, 3.0]);
    nearly(x.exp(), [torch::EXP[1], torch::EXP[2], 1.0, torch::EXP[6], torch::EXP[7]]);
}

#[test]
fn tf_002_log() {
    nearly(float::<1>(torch::X).log(), torch::LOG);
    exactly(float::<1>([0.0, 1.0]).log(), [f32::NEG_INFINITY, 0.0]);
}

#[test]
fn tf_003_log1p_is_exact_near_zero() {
    nearly(float::<1>(torch::X).log1p(), torch::LOG1P);
    // The series: log(1 + x) = x - x^2 / 2 + .., where log(1 + 1e-7) in f32 is off by 19 %.
    let found: f32 = float::<1>([1e-7]).log1p().into_scalar();
    assert!((f64::from(found) / 9.9999995e-8 - 1.0).abs() < 1e-6, "{found}");
}

#[test]
fn tf_004_erf() {
    nearly(float::<1>(torch::X).erf(), torch::ERF);
}

#[test]
fn tf_005_sqrt() {
    nearly(float::<1>(torch::X).sqrt(), torch::SQRT);
    exactly(float::<1>([9.0, 0.25]).sqrt(), [3.0, 0.5]);
}

#[test]
fn tf_006_recip() {
    nearly(float::<1>(torch::X).recip(), torch::RECIPROCAL);
    exactly(float::<1>([4.0, -0.5]).recip(), [0.25, -2.0]);
}

#[test]
fn tf_007_cos() {
    nearly(float::<1>(torch::X).cos(), torch::COS);
}

#[test]
fn tf_008_sin() {
    nearly(float::<1>(torch::X).sin(), torch::SIN);
}

#[test]
fn tf_009_tanh() {
    nearly(float::<1>(torch::X).tanh(), torch::TANH);
}

#[test]
fn tf_010_ceil() {
    exactly(float::<1>(torch::X).ceil(), torch::CEIL);
}

#[test]
fn tf_011_floor() {
    exactly(float::<1>(torch::X).floor(), torch::FLOOR);
}

#[test]
fn tf_012_round_goes_to_even_at_halves() {
    exactly(float::<1>([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6]).round(), [0.0, 2.0, 2.0, 0.0, -2.0, 2.0, 3.0]);
    exactly(float::<1>(torch::X).round(), torch::ROUND);
}

#[test]
fn tf_013_int_truncates_saturates_and_has_no_nan() {
    exactly(float::<1>([1.9, -1.9, 0.0]).int(), [1, -1, 0]);
    exactly(float::<1>([f32::NAN]).int(), [0]);
    let saturated: Vec<i64> =
        float::<1>([f32::INFINITY, f32::NEG_INFINITY]).int().into_data().iter().collect();
    assert_eq!(saturated, [i64::MAX, i64::MIN]);
}

#[test]
fn tf_014_matmul_broadcasts_the_batch() {
    let (left, right) = (float::<3>(torch::LEFT), float::<2>(torch::RIGHT));
    nearly(left.clone().matmul(right.clone().unsqueeze()), torch::MATMUL);
    let both = right.unsqueeze::<3>().repeat_dim(0, 2);
    nearly(left.matmul(both), torch::MATMUL);
    exactly(float::<2>([[1.0, 2.0], [3.0, 4.0]]).matmul(float([[5.0], [6.0]])), [[17.0], [39.0]]);
}

#[test]
fn tf_014_matmul_of_transposed_operands() {
    let (x, y) =
        (float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), float::<2>([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]));
    exactly(x.clone().matmul(y.clone().transpose()), [[7.0, 5.0], [16.0, 11.0]]);
    exactly(x.transpose().matmul(y), [[1.0, 4.0, 6.0], [2.0, 5.0, 9.0], [3.0, 6.0, 12.0]]);
}

#[test]
fn tf_015_variance_and_mean() {
    let x = float::<2>(torch::MATRIX);
    nearly(x.clone().var(1), torch::VAR);
    nearly(x.clone().var_bias(1), torch::VAR_BIAS);
    let (variance, mean) = x.clone().var_mean(-1);
    nearly(variance, torch::VAR);
    nearly(mean, torch::MEAN);
    let (variance, mean) = x.var_mean_bias(1);
    nearly(variance, torch::VAR_BIAS);
    nearly(mean, torch::MEAN);
}

#[test]
fn tf_016_one_hot() {
    exactly(Tensor::<B, 1>::one_hot(2, 4, CPU), [0.0, 0.0, 1.0, 0.0]);
    exactly(int::<1>([1, 0]).one_hot::<2>(3), [[0, 1, 0], [1, 0, 0]]);
}

#[test]
fn tf_017_precision_is_changed_and_restored() {
    let x = Tensor::<NdArray<f64>, 1>::from_data([0.1, 1e30], CPU);
    let full = x.clone().to_full_precision();
    assert_eq!(full.dtype(), DType::F32);
    exactly(full.clone(), [0.1_f32, 1e30]);
    let back = Tensor::from_full_precision(full);
    assert_eq!(back.dtype(), DType::F64);
    exactly(back, [f64::from(0.1_f32), f64::from(1e30_f32)]);
    let cast = x.cast(DType::F32);
    assert_eq!(cast.dtype(), DType::F32);
}

#[test]
fn tf_018_random_like() {
    B::seed(11);
    let x = Tensor::<B, 2>::zeros([40, 50], CPU).random_like(Distribution::Normal(2.0, 0.5));
    assert_eq!(x.dims(), [40, 50]);
    let mean: f32 = x.mean().into_scalar();
    // Five standard errors.
    assert!((mean - 2.0).abs() < 5.0 * 0.5 / f32::sqrt(2000.0), "{mean}");
}

#[test]
fn tf_019_swap_dims_and_transpose() {
    let x = float::<3>([[[1.0, 2.0]], [[3.0, 4.0]]]);
    exactly(x.clone().transpose(), [[[1.0], [2.0]], [[3.0], [4.0]]]);
    exactly(x.swap_dims(0, 2), [[[1.0, 3.0]], [[2.0, 4.0]]]);
}

#[test]
fn tf_020_from_floats() {
    exactly(Tensor::<B, 1>::from_floats([1.5, 2.5], CPU), [1.5, 2.5]);
    exactly(Tensor::<B, 2>::from_floats([[1.0_f64], [2.0]], CPU), [[1.0], [2.0]]);
}
