//! Loss functions.

use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;

#[test]
fn a_loss_is_a_layer() {
    let device = Default::default();
    // ANCHOR: use
    use burn::nn::loss::{CrossEntropyLossConfig, HuberLossConfig, MseLoss, Reduction};

    // Regression: prediction and target of the same shape, and how the losses become one number.
    let prediction = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let target = Tensor::<NdArray, 2>::from_data([[1.0, 0.0], [3.0, 8.0]], &device);
    let mean: Tensor<NdArray, 1> =
        MseLoss::new().forward(prediction.clone(), target.clone(), Reduction::Mean);
    assert_eq!(mean.into_scalar(), 5.0);

    // The loss of each element, for weights of your own.
    let huber = HuberLossConfig::new(1.0).init();
    let losses: Tensor<NdArray, 2> = huber.forward_no_reduction(prediction, target);
    assert_eq!(losses.into_data().to_f64(), [0.0, 1.5, 0.0, 3.5]);

    // Classification: logits `[batch, classes]` and the index of the class, `[batch]`.
    let logits = Tensor::<NdArray, 2>::from_data([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], &device);
    let classes = Tensor::<NdArray, 1, Int>::from_data([0, 2], &device);
    let loss = CrossEntropyLossConfig::new().init(&device).forward(logits, classes);
    // ANCHOR_END: use
    let (first, second) = ((1.0 + 2.0 * (-2_f64).exp()).ln(), 3_f64.ln());
    assert!((f64::from(loss.into_scalar()) - (first + second) / 2.0).abs() < 1e-6);
}

#[test]
fn cross_entropy_has_options() {
    let device = Default::default();
    let logits = || Tensor::<NdArray, 2>::from_data([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]], &device);
    // ANCHOR: options
    use burn::nn::loss::CrossEntropyLossConfig;

    let loss = CrossEntropyLossConfig::new()
        .with_pad_tokens(Some(vec![0])) // targets that are left out, such as padding of a sequence
        .with_weights(Some(vec![1.0, 2.0, 0.5])) // one for each class
        .with_smoothing(Some(0.1)) // label smoothing
        .init(&device);
    let value = loss.forward(logits(), Tensor::from_data([0, 2], &device));
    // ANCHOR_END: options
    // Only the second sample counts, whose log-probabilities are all -log 3, so smoothing weights 0.5 / 3 and
    // the like.
    let (log, weight) = (3_f64.ln(), 0.5);
    let expected = 0.9 * log + 0.1 / 3.0 * (1.0 + 2.0 + 0.5) * log / weight;
    assert!((f64::from(value.into_scalar()) - expected).abs() < 1e-6);
}

// ANCHOR: own
/// Quantile loss: `max(q (target - prediction), (q - 1) (target - prediction))`, the mean over all elements.
fn quantile_loss<B: Backend, const D: usize>(
    prediction: Tensor<B, D>,
    target: Tensor<B, D>,
    quantile: f64,
) -> Tensor<B, 1> {
    let error = target - prediction;
    (error.clone() * quantile).max_pair(error * (quantile - 1.0)).mean()
}
// ANCHOR_END: own

#[test]
fn a_loss_of_ones_own_is_a_function() {
    type A = Autodiff<NdArray>;
    let device = Default::default();
    let prediction = Tensor::<A, 1>::from_data([1.0, 5.0], &device).require_grad();
    let loss = quantile_loss(prediction.clone(), Tensor::from_data([3.0, 4.0], &device), 0.75);
    assert_eq!(loss.to_data().to_f64(), [(0.75 * 2.0 + 0.25) / 2.0]);
    let gradient = prediction.grad(&loss.backward()).unwrap();
    assert_eq!(gradient.into_data().to_f64(), [-0.375, 0.125]);
}
