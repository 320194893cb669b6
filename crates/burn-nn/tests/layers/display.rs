//! The model of the guide as it is printed.

use burn_core::module::Module;
use burn_core::tensor::Backend;
use burn_ndarray::NdArray;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn_nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};

#[derive(Module, Debug)]
struct Model<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

const EXPECTED: &str = "\
Model {
  conv1: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Valid, params: 80}
  conv2: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Valid, params: 1168}
  pool: AdaptiveAvgPool2d {output_size: [8, 8]}
  dropout: Dropout {prob: 0.5}
  linear1: Linear {d_input: 1024, d_output: 512, bias: true, params: 524800}
  linear2: Linear {d_input: 512, d_output: 10, bias: true, params: 5130}
  activation: Relu
  params: 531178
}";

#[test]
fn a_model_prints_a_line_for_each_layer_and_makes_no_parameter() {
    let device = Default::default();
    let model: Model<NdArray> = Model {
        conv1: Conv2dConfig::new([1, 8], [3, 3]).init(&device),
        conv2: Conv2dConfig::new([8, 16], [3, 3]).init(&device),
        pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
        dropout: DropoutConfig::new(0.5).init(),
        linear1: LinearConfig::new(16 * 8 * 8, 512).init(&device),
        linear2: LinearConfig::new(512, 10).init(&device),
        activation: Relu::new(),
    };
    assert_eq!(model.to_string(), EXPECTED);
    assert!(!model.linear1.weight.is_initialized());
}
