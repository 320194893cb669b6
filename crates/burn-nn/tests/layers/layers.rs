use crate::fixture::{B, Case};
use burn_core::tensor::Tensor;
use burn_nn::conv::{Conv1d, Conv1dConfig, Conv2d, Conv2dConfig};
use burn_nn::pool::*;
use burn_nn::*;

#[test]
fn linear_agrees_with_torch() {
    let (case, x) = (Case::of("linear"), Case::of("linear").x::<3>());
    let layer = Linear::<B>::new(case.param("weight"), Some(case.param("bias")));
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("weight", &layer.weight, &gradients);
    case.gradient("bias", layer.bias.as_ref().unwrap(), &gradients);
}

#[test]
fn conv1d_agrees_with_torch() {
    let (case, x) = (Case::of("conv1d"), Case::of("conv1d").x::<3>());
    let config = Conv1dConfig::new([3, 4], 3).with_stride(2).with_dilation(2);
    let layer: Conv1d<B> = config.with_padding(PaddingConfig1d::Explicit(1)).init(&Default::default());
    let layer = Conv1d { weight: case.param("weight"), bias: Some(case.param("bias")), ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("weight", &layer.weight, &gradients);
    case.gradient("bias", layer.bias.as_ref().unwrap(), &gradients);
}

fn conv2d(name: &str, config: Conv2dConfig) {
    let (case, x) = (Case::of(name), Case::of(name).x::<4>());
    let layer: Conv2d<B> = config.init(&Default::default());
    let bias = layer.bias.as_ref().map(|_| case.param("bias"));
    let layer = Conv2d { weight: case.param("weight"), bias, ..layer };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("weight", &layer.weight, &gradients);
    if let Some(bias) = &layer.bias {
        case.gradient("bias", bias, &gradients);
    }
}

#[test]
fn conv2d_agrees_with_torch() {
    let config = Conv2dConfig::new([3, 4], [3, 2]).with_stride([2, 1]).with_dilation([1, 2]);
    conv2d("conv2d", config.with_padding(PaddingConfig2d::Explicit(1, 2)));
}

#[test]
fn conv2d_with_groups_agrees_with_torch() {
    conv2d("conv2d_groups", Conv2dConfig::new([4, 6], [2, 3]).with_groups(2).with_bias(false));
}

#[test]
fn conv2d_with_same_padding_agrees_with_torch() {
    let config = Conv2dConfig::new([2, 3], [2, 4]).with_dilation([2, 1]);
    conv2d("conv2d_same", config.with_padding(PaddingConfig2d::Same));
}

fn pool<const D: usize>(name: &str, forward: impl Fn(Tensor<B, D>) -> Tensor<B, D>) {
    let (case, x) = (Case::of(name), Case::of(name).x::<D>());
    let gradients = case.backward(forward(x.clone()));
    case.gradient("x", &x, &gradients);
}

#[test]
fn max_pools_agree_with_torch() {
    let config = MaxPool2dConfig::new([3, 2]).with_stride([2, 1]).with_dilation([1, 2]);
    let layer = config.with_padding(PaddingConfig2d::Explicit(1, 0)).init();
    pool("max_pool2d", |x| layer.forward(x));
    let layer = MaxPool1dConfig::new(3).with_stride(2).with_padding(PaddingConfig1d::Explicit(1)).init();
    pool("max_pool1d", |x| layer.forward(x));
}

#[test]
fn average_pools_agree_with_torch() {
    let config =
        AvgPool2dConfig::new([3, 2]).with_stride([2, 1]).with_padding(PaddingConfig2d::Explicit(1, 1));
    let layer = config.init();
    pool("avg_pool2d", |x| layer.forward(x));
    let layer = config.with_count_include_pad(false).init();
    pool("avg_pool2d_without_pad", |x| layer.forward(x));
    let layer = AvgPool1dConfig::new(3).with_stride(2).init();
    pool("avg_pool1d", |x| layer.forward(x));
}

#[test]
fn adaptive_average_pools_agree_with_torch() {
    let layer = AdaptiveAvgPool2dConfig::new([3, 4]).init();
    pool("adaptive_avg_pool2d", |x| layer.forward(x));
    let layer = AdaptiveAvgPool1dConfig::new(3).init();
    pool("adaptive_avg_pool1d", |x| layer.forward(x));
}

#[test]
fn embedding_agrees_with_torch() {
    let case = Case::of("embedding");
    let layer = Embedding::<B> { weight: case.param("weight") };
    let gradients = case.backward(layer.forward(case.int("x")));
    case.gradient("weight", &layer.weight, &gradients);
}

#[test]
fn leaky_activations_agree_with_torch() {
    let layer = LeakyReluConfig::new().with_negative_slope(0.2).init();
    pool::<2>("leaky_relu", |x| layer.forward(x));
    let (case, x) = (Case::of("prelu"), Case::of("prelu").x::<3>());
    let layer = PRelu::<B> { alpha: case.param("alpha") };
    let gradients = case.backward(layer.forward(x.clone()));
    case.gradient("x", &x, &gradients);
    case.gradient("alpha", &layer.alpha, &gradients);
}
