//! configs of layers and losses refuse impossible values with the field's name.

use crate::given::{B, CPU};
use burn::config::ConfigError;
use burn::nn::loss::*;
use burn::nn::*;
use std::fmt::Debug;

#[track_caller]
fn refused<T: Debug>(made: Result<T, ConfigError>, field: &str, value: &str) {
    match made {
        Err(ConfigError::Field { field: found, value: got, .. }) => {
            assert_eq!((&*found, &*got), (field, value))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn x_211_sizes_of_zero() {
    refused(LinearConfig::new(0, 2).try_init::<B>(CPU), "d_input", "0");
    refused(LinearConfig::new(2, 0).try_init::<B>(CPU), "d_output", "0");
    refused(BilinearConfig::new(2, 0, 2).try_init::<B>(CPU), "d_input2", "0");
    refused(SwiGluConfig::new(0, 2).try_init::<B>(CPU), "d_input", "0");
    refused(EmbeddingConfig::new(0, 2).try_init::<B>(CPU), "n_embedding", "0");
    refused(EmbeddingBagConfig::new(3, 0).try_init::<B>(CPU), "d_model", "0");
    refused(BatchNormConfig::new(0).try_init::<B>(CPU), "num_features", "0");
    refused(GroupNormConfig::new(1, 0).try_init::<B>(CPU), "num_channels", "0");
    refused(InstanceNormConfig::new(0).try_init::<B>(CPU), "num_channels", "0");
    refused(LayerNormConfig::new(0).try_init::<B>(CPU), "d_model", "0");
    refused(RmsNormConfig::new(0).try_init::<B>(CPU), "d_model", "0");
    refused(PReluConfig::new().with_num_parameters(0).try_init::<B>(CPU), "num_parameters", "0");
    refused(LocalResponseNormConfig::new(0).try_init(), "size", "0");
}

#[test]
fn x_211_options_of_activations_out_of_range() {
    refused(EluConfig::new().with_alpha(f64::NAN).try_init(), "alpha", "NaN");
    refused(CeluConfig::new().with_alpha(0.0).try_init(), "alpha", "0.0");
    refused(HardtanhConfig::new().with_max(-1.0).try_init(), "max", "-1.0");
    refused(HardShrinkConfig::new().with_lambda(-0.5).try_init(), "lambda", "-0.5");
    refused(SoftShrinkConfig::new().with_lambda(-0.5).try_init(), "lambda", "-0.5");
    refused(SoftplusConfig::new().with_beta(0.0).try_init(), "beta", "0.0");
    refused(LeakyReluConfig::new().with_negative_slope(f64::INFINITY).try_init(), "negative_slope", "inf");
    let nested = ActivationConfig::Celu(CeluConfig::new().with_alpha(-1.0));
    refused(nested.try_init::<B>(CPU), "alpha", "-1.0");
    let nested = NormalizationConfig::Group(GroupNormConfig::new(3, 4));
    refused(nested.try_init::<B>(CPU), "num_groups", "3");
}

#[test]
fn x_211_options_of_layers_out_of_range() {
    refused(GaussianNoiseConfig::new(-1.0).try_init(), "std", "-1.0");
    refused(AlphaDropoutConfig::new(1.5).try_init(), "prob", "1.5");
    refused(Dropout2dConfig::new(-0.5).try_init(), "prob", "-0.5");
    refused(EmbeddingConfig::new(3, 2).with_padding_idx(Some(3)).try_init::<B>(CPU), "padding_idx", "3");
    refused(EmbeddingConfig::new(3, 2).with_max_norm(Some(0.0)).try_init::<B>(CPU), "max_norm", "0.0");
    let by_frequency = EmbeddingBagConfig::new(3, 2).with_mode(EmbeddingBagMode::Max);
    let by_frequency = by_frequency.with_scale_grad_by_frequency(true);
    refused(by_frequency.try_init::<B>(CPU), "scale_grad_by_frequency", "true");
    let linear = || LinearConfig::new(2, 2).init::<B>(CPU);
    let normed: Result<WeightNorm<B, Linear<B>, 2>, _> =
        WeightNormConfig::new().with_dim(WeightNormDim::Dim(2)).try_init(linear());
    refused(normed, "dim", "Dim(2)");
    let normed: Result<SpectralNorm<B, Linear<B>, 2>, _> =
        SpectralNormConfig::new().with_power_iterations(0).try_init(linear());
    refused(normed, "power_iterations", "0");
}

#[test]
fn x_211_options_of_losses_out_of_range() {
    refused(SmoothL1LossConfig::new().with_beta(-1.0).try_init(), "beta", "-1.0");
    refused(CosineEmbeddingLossConfig::new().with_margin(2.0).try_init(), "margin", "2.0");
    refused(PoissonNllLossConfig::new().with_epsilon(0.0).try_init(), "epsilon", "0.0");
    refused(GaussianNllLossConfig::new().with_epsilon(-1.0).try_init(), "epsilon", "-1.0");
    refused(TripletMarginLossConfig::new().with_margin(0.0).try_init(), "margin", "0.0");
    refused(MultiMarginLossConfig::new().with_p(3).try_init::<B>(CPU), "p", "3");
    refused(FocalLossConfig::new().with_gamma(-2.0).try_init(), "gamma", "-2.0");
    let weights = NllLossConfig::new().with_weights(Some(vec![1.0, -1.0]));
    refused(weights.try_init::<B>(CPU), "weights[1]", "-1.0");
    let positive = BinaryCrossEntropyLossConfig::new().with_positive_weights(Some(vec![2.0]));
    refused(positive.try_init::<B>(CPU), "positive_weights", "Some([2.0])");
}
