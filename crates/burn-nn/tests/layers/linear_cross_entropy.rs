//! The loss with its projection against the loss of logits, and its gradients against differences.

use burn_autodiff::Autodiff;
use burn_core::tensor::{DType, Distribution, Int, Tensor, TensorData, bf16};
use burn_ndarray::NdArray;
use burn_nn::loss::{CrossEntropyLossConfig, LinearCrossEntropyLossConfig, Reduction};

type B = Autodiff<NdArray<f64>>;
const TARGETS: [i64; 7] = [2, 0, 4, 1, 4, 3, 2];

fn operands() -> (Tensor<B, 2>, Tensor<B, 2>, Tensor<B, 1, Int>) {
    let device = Default::default();
    let random = |dims| Tensor::random(dims, Distribution::Normal(0.0, 1.0), &device).require_grad();
    (random([7, 3]), random([3, 5]), Tensor::from_data(TARGETS, &device))
}

/// Value and gradients of `loss`, times 3, so that a factor of the gradient of the loss is seen.
fn of(
    (hidden, weight): (&Tensor<B, 2>, &Tensor<B, 2>),
    loss: impl FnOnce(Tensor<B, 2>, Tensor<B, 2>) -> Tensor<B, 1>,
) -> [Vec<f64>; 3] {
    let loss = loss(hidden.clone(), weight.clone()) * 3.0;
    let gradients = loss.backward();
    let gradient = |x: &Tensor<B, 2>| x.grad(&gradients).unwrap().into_data().to_f64();
    [loss.into_data().to_f64(), gradient(hidden), gradient(weight)]
}

fn close(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        let near = found.iter().zip(expected).all(|(x, y)| (x - y).abs() < tolerance);
        assert!(near, "{found:?} {expected:?}");
    }
}

#[test]
fn linear_cross_entropy_has_value_and_gradients_of_the_unfused_loss() {
    let (hidden, weight, targets) = operands();
    for (pad_tokens, smoothing) in [(None, None), (Some([4, 9].into()), Some(0.1))] {
        for block_rows in [1, 3, 7, 100] {
            for reduction in [Reduction::Mean, Reduction::Sum, Reduction::BatchMean] {
                let fused = LinearCrossEntropyLossConfig::new()
                    .with_block_rows(block_rows)
                    .with_pad_tokens(pad_tokens.clone())
                    .with_smoothing(smoothing)
                    .init();
                let unfused = CrossEntropyLossConfig::new()
                    .with_pad_tokens(pad_tokens.clone())
                    .with_smoothing(smoothing)
                    .init(&Default::default());
                let found = of((&hidden, &weight), |hidden, weight| {
                    fused.forward_reduced(hidden, weight, targets.clone(), reduction)
                });
                let expected = of((&hidden, &weight), |hidden, weight| {
                    unfused.forward_reduced(hidden.matmul(weight), targets.clone(), reduction)
                });
                close(&found, &expected, 1e-13);
            }
        }
    }
}

/// As many classes as a small vocabulary has; 9,001 is a prime.
#[test]
fn linear_cross_entropy_of_many_classes_is_the_unfused_loss() {
    let device = Default::default();
    for classes in [9_000, 9_001] {
        let random =
            |dims| Tensor::<B, 2>::random(dims, Distribution::Normal(0.0, 3.0), &device).require_grad();
        let (hidden, weight) = (random([3, 2]), random([2, classes]));
        let targets = Tensor::<B, 1, Int>::from_data([classes as i64 - 1, 0, 4000], &device);
        let fused = LinearCrossEntropyLossConfig::new().with_block_rows(2).with_smoothing(Some(0.1)).init();
        let unfused = CrossEntropyLossConfig::new().with_smoothing(Some(0.1)).init(&device);
        let found = of((&hidden, &weight), |hidden, weight| fused.forward(hidden, weight, targets.clone()));
        let expected =
            of((&hidden, &weight), |hidden, weight| unfused.forward(hidden.matmul(weight), targets.clone()));
        close(&found, &expected, 1e-12);
    }
}

#[test]
fn gradients_of_linear_cross_entropy_equal_central_differences() {
    let (hidden, weight, targets) = operands();
    let config = LinearCrossEntropyLossConfig::new().with_block_rows(2).with_smoothing(Some(0.2));
    let loss = config.with_pad_tokens(Some([4].into())).init();
    let [_, by_hidden, by_weight] =
        of((&hidden, &weight), |hidden, weight| loss.forward(hidden, weight, targets.clone()));
    let value = |hidden: Tensor<B, 2>, weight: Tensor<B, 2>| {
        loss.forward(hidden, weight, targets.clone()).into_data().to_f64()[0] * 3.0
    };
    let differences = |x: &Tensor<B, 2>, value: &dyn Fn(Tensor<B, 2>) -> f64| -> Vec<f64> {
        let (values, dims) = (x.clone().into_data().to_f64(), x.dims());
        let moved = |index: usize, step: f64| {
            let mut values = values.clone();
            values[index] += step;
            value(Tensor::from_data(TensorData::new(values, dims), &Default::default()))
        };
        (0..values.len()).map(|index| (moved(index, 1e-5) - moved(index, -1e-5)) / 2e-5).collect()
    };
    let expected = [
        differences(&hidden, &|hidden| value(hidden, weight.clone())),
        differences(&weight, &|weight| value(hidden.clone(), weight)),
    ];
    close(&[by_hidden, by_weight], &expected, 1e-8);
}

#[test]
fn a_frozen_weight_has_no_gradient_and_that_of_the_hidden_states_stays() {
    let (hidden, weight, targets) = operands();
    let loss = LinearCrossEntropyLossConfig::new().with_block_rows(2).init();
    let [_, expected, _] =
        of((&hidden, &weight), |hidden, weight| loss.forward(hidden, weight, targets.clone()));
    let frozen = weight.detach();
    let gradients = (loss.forward(hidden.clone(), frozen.clone(), targets.clone()) * 3.0).backward();
    assert!(frozen.grad(&gradients).is_none());
    close(&[hidden.grad(&gradients).unwrap().into_data().to_f64()], &[expected], 1e-15);
    // Nothing is tracked: the value alone.
    let value = loss.forward(hidden.detach(), frozen, targets);
    assert!(!value.is_require_grad() && value.into_data().to_f64()[0] > 0.0);
}

#[test]
fn linear_cross_entropy_of_half_precision_computes_the_softmax_in_f32() {
    type Half = Autodiff<NdArray<bf16>>;
    let (hidden, weight, targets) = operands();
    let half = |x: &Tensor<B, 2>| {
        Tensor::<Half, 2>::from_data(x.clone().into_data(), &Default::default()).require_grad()
    };
    let (half_hidden, half_weight) = (half(&hidden), half(&weight));
    let loss = LinearCrossEntropyLossConfig::new().with_block_rows(2).init();
    let target = Tensor::from_data(TARGETS, &Default::default());
    let found = loss.forward(half_hidden.clone(), half_weight.clone(), target) * 3.0;
    assert_eq!(found.dtype(), DType::F32);
    let gradients = found.backward();
    let gradient = |x: &Tensor<Half, 2>| x.grad(&gradients).unwrap();
    assert_eq!(gradient(&half_weight).dtype(), DType::BF16);
    let found = [
        found.into_data().to_f64(),
        gradient(&half_hidden).into_data().to_f64(),
        gradient(&half_weight).into_data().to_f64(),
    ];
    let expected = of((&hidden, &weight), |hidden, weight| loss.forward(hidden, weight, targets.clone()));
    // Three digits of numbers up to 3.
    close(&found, &expected, 4e-2);
}

#[test]
#[should_panic(expected = "linear_cross_entropy: no second derivatives on autodiff<autodiff<ndarray>>")]
fn second_derivatives_panic() {
    type Twice = Autodiff<B>;
    let device = Default::default();
    let (hidden, weight) = (Tensor::<Twice, 2>::ones([1, 2], &device), Tensor::ones([2, 3], &device));
    let targets = Tensor::from_data([1], &device);
    let _loss = LinearCrossEntropyLossConfig::new().init().forward(hidden, weight, targets);
}
