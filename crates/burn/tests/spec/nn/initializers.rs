//! NN-034, X-209: every initializer has the moments and the structure of its formula.

use crate::expect::{exactly, panics};
use crate::given::{B, CPU};
use burn::config::ConfigError;
use burn::module::{Initializer, Param};
use burn::nn::LinearConfig;
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, Tolerance};

fn draw<const D: usize>(initializer: &Initializer, shape: [usize; D]) -> Tensor<B, D> {
    let param: Param<Tensor<B, D>> = initializer.init(shape, CPU);
    param.val()
}

/// Mean, variance, smallest and largest element.
fn moments<const D: usize>(x: Tensor<B, D>) -> (f64, f64, f64, f64) {
    let values: Vec<f64> = x.into_data().iter().collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64;
    let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    (mean, variance, least, most)
}

/// Mean and variance of a standard normal distribution between `low` and `high`, by Simpson's rule.
fn truncated(low: f64, high: f64) -> (f64, f64) {
    let (steps, width) = (2000, (high - low) / 2000.0);
    let integral = |power: i32| {
        (0..=steps)
            .map(|step| {
                let x = low + width * f64::from(step);
                let factor = if step == 0 || step == steps { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
                factor * x.powi(power) * (-x * x / 2.0).exp()
            })
            .sum::<f64>()
    };
    let mean = integral(1) / integral(0);
    (mean, integral(2) / integral(0) - mean * mean)
}

#[test]
fn nn_034_truncated_normal_has_the_moments_of_its_interval() {
    B::seed(11);
    for [low, high] in [[-2.0, 2.0], [-0.5, 1.0], [1.0, 3.0], [-8.0, 8.0]] {
        let (mean, std) = (0.3, 0.2);
        let (min, max) = (mean + std * low, mean + std * high);
        let found = moments(draw(&Initializer::TruncatedNormal { mean, std, min, max }, [200, 500]));
        let (expected_mean, expected_variance) = truncated(low, high);
        let deviation = std * expected_variance.sqrt();
        // Five standard deviations of a mean of 100,000.
        assert!(
            (found.0 - mean - std * expected_mean).abs() < 5.0 * deviation / 316.0,
            "{low} {high}: {found:?}"
        );
        assert!((found.1 / deviation.powi(2) - 1.0).abs() < 0.03, "{low} {high}: {found:?}");
        assert!(found.2 >= min - 1e-6 && found.3 <= max + 1e-6, "{low} {high}: {found:?}");
    }
}

#[test]
fn x_209_orthogonal_weights_have_orthonormal_rows_or_columns() {
    B::seed(12);
    let gram = |matrix: Tensor<B, 2>| matrix.clone().matmul(matrix.transpose());
    let close = |found: Tensor<B, 2>, size: usize, square: f64| {
        let expected = (Tensor::<B, 2>::eye(size, CPU) * square).into_data();
        found.into_data().assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-4));
    };
    let orthogonal = Initializer::Orthogonal { gain: 2.0 };
    close(gram(draw(&orthogonal, [4, 9])), 4, 4.0);
    close(gram(draw::<2>(&orthogonal, [9, 4]).transpose()), 4, 4.0);
    close(gram(draw::<4>(&orthogonal, [6, 3, 2, 2]).reshape([6, 12])), 6, 4.0);
    // Uniform over the rotations of the plane: the first element is a cosine, of mean 0 and variance 1/2.
    let unit = Initializer::Orthogonal { gain: 1.0 };
    let cosines: Vec<f64> = (0..2000).map(|_| draw(&unit, [2, 2]).into_data().to_f64()[0]).collect();
    let mean = cosines.iter().sum::<f64>() / 2000.0;
    let square = cosines.iter().map(|x| x * x).sum::<f64>() / 2000.0;
    assert!(mean.abs() < 5.0 * 0.71 / 44.7 && (square - 0.5).abs() < 5.0 * 0.36 / 44.7, "{mean} {square}");
}

#[test]
fn nn_034_identity_and_dirac_pass_their_input() {
    exactly(draw(&Initializer::Identity, [2, 3]), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    // Channel i of each of two groups, at the center of the kernel.
    let weight = draw::<3>(&Initializer::Dirac { groups: 2 }, [4, 2, 3]);
    let channel = |center: [f64; 2]| center.map(|x| [0.0, x, 0.0]);
    exactly(weight, [channel([1.0, 0.0]), channel([0.0, 1.0]), channel([1.0, 0.0]), channel([0.0, 1.0])]);
    let weight = draw::<4>(&Initializer::Dirac { groups: 1 }, [2, 2, 2, 3]);
    let sum = weight.clone().sum().into_scalar();
    let center: Vec<f32> = weight.slice([0..2, 0..2, 1..2, 1..2]).into_data().iter().collect();
    assert_eq!((sum, center), (2.0, vec![1.0, 0.0, 0.0, 1.0]));
}

#[test]
fn nn_034_sparse_weights_have_their_share_of_zeros_in_each_column() {
    B::seed(13);
    let weight = draw::<2>(&Initializer::Sparse { sparsity: 0.33, std: 0.1 }, [100, 300]);
    let zeros = weight.clone().equal_elem(0.0).int().sum_dim(0);
    assert!(zeros.into_data().iter::<i64>().all(|count| count == 33));
    let (_, variance, ..) = moments(weight);
    assert!((variance / (0.67 * 0.01) - 1.0).abs() < 0.05, "{variance}");
}

#[test]
fn nn_034_uniform_and_normal_laws_have_their_means() {
    B::seed(14);
    let (mean, variance, least, most) =
        moments(draw(&Initializer::Uniform { min: 1.0, max: 3.0 }, [200, 500]));
    assert!((mean - 2.0).abs() < 0.01 && (variance * 3.0 - 1.0).abs() < 0.02 && least >= 1.0 && most < 3.0);
    let (mean, variance, ..) = moments(draw(&Initializer::Normal { mean: -1.0, std: 0.5 }, [200, 500]));
    assert!((mean + 1.0).abs() < 0.01 && (variance * 4.0 - 1.0).abs() < 0.03);
    exactly(draw(&Initializer::Ones, [2]), [1.0, 1.0]);
    exactly(draw(&Initializer::Zeros, [2]), [0.0, 0.0]);
}

#[test]
fn nn_034_initializers_of_weights_leave_biases_at_zero() {
    for initializer in [
        Initializer::Orthogonal { gain: 1.0 },
        Initializer::Identity,
        Initializer::Sparse { sparsity: 0.5, std: 1.0 },
    ] {
        let linear = LinearConfig::new(3, 2).with_initializer(initializer).init::<B>(CPU);
        exactly(linear.bias.expect("by default").val(), [0.0, 0.0]);
    }
    let message = panics(|| draw::<3>(&Initializer::Identity, [2, 2, 2]));
    assert_eq!(message, "initializer: wrong rank for `Identity`; expected rank 2, got [2, 2, 2]");
}

#[test]
fn x_211_initializers_refuse_impossible_values() {
    let refused = |initializer: Initializer| match LinearConfig::new(2, 2)
        .with_initializer(initializer)
        .try_init::<B>(CPU)
    {
        Err(ConfigError::Field { config, field, .. }) => format!("{config}.{field}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Initializer::Normal { mean: 0.0, std: -1.0 }), "LinearConfig.initializer.std");
    assert_eq!(refused(Initializer::Uniform { min: 1.0, max: 0.0 }), "LinearConfig.initializer.max");
    assert_eq!(refused(Initializer::Orthogonal { gain: f64::NAN }), "LinearConfig.initializer.gain");
    assert_eq!(refused(Initializer::Dirac { groups: 0 }), "LinearConfig.initializer.groups");
    assert_eq!(refused(Initializer::Sparse { sparsity: 1.5, std: 1.0 }), "LinearConfig.initializer.sparsity");
    let inside_out = Initializer::TruncatedNormal { mean: 0.0, std: 1.0, min: 1.0, max: 1.0 };
    assert_eq!(refused(inside_out), "LinearConfig.initializer.max");
}
