//! Layers.

use burn::backend::{Autodiff, NdArray};
use burn::prelude::*;

// ANCHOR: config
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Linear, LinearConfig, PaddingConfig2d, Relu};

/// Convolutional network for images of 28 x 28.
#[derive(Module, Debug)]
pub struct Network<B: Backend> {
    conv: Conv2d<B>,
    norm: BatchNorm<B>,
    pool: MaxPool2d,
    output: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Network<B> {
    pub fn new(device: &B::Device) -> Self {
        Network {
            conv: Conv2dConfig::new([1, 8], [3, 3]).with_padding(PaddingConfig2d::Same).init(device),
            norm: BatchNormConfig::new(8).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            output: LinearConfig::new(8 * 14 * 14, 10).init(device),
            activation: Relu,
        }
    }

    /// `[batch, 1, 28, 28]` to `[batch, 10]`.
    pub fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.norm.forward(self.conv.forward(x)));
        let x: Tensor<B, 2> = self.pool.forward(x).flatten(1, 3);
        self.output.forward(x)
    }
}
// ANCHOR_END: config

#[test]
fn a_network_is_made_of_layers() {
    let device = Default::default();
    let network: Network<NdArray> = Network::new(&device);
    assert_eq!(network.forward(Tensor::ones([2, 1, 28, 28], &device)).dims(), [2, 10]);
    let printed =
        "conv: Conv2d {stride: [1, 1], kernel_size: [3, 3], dilation: [1, 1], groups: 1, padding: Same";
    assert!(network.to_string().contains(printed), "{network}");
}

#[test]
fn layers_are_composed() {
    let device = Default::default();
    // ANCHOR: sequential
    use burn::nn::{Flatten, Sequential};

    let model = Sequential::new((
        Conv2dConfig::new([1, 4], [3, 3]).init::<NdArray>(&device),
        Relu,
        Flatten::new(),
        LinearConfig::new(4 * 6 * 6, 10).init(&device),
    ));
    let y: Tensor<NdArray, 2> = model.forward(Tensor::<NdArray, 4>::ones([2, 1, 8, 8], &device));
    // ANCHOR_END: sequential
    assert_eq!(y.dims(), [2, 10]);
    assert_eq!(model.num_params(), 4 * 9 + 4 + 144 * 10 + 10);
}

#[test]
fn parameters_begin_with_the_values_of_an_initializer() {
    let device = Default::default();
    // ANCHOR: initializer
    use burn::nn::Initializer;

    let initializer = Initializer::KaimingNormal { gain: 2_f64.sqrt(), fan_out_only: false };
    let layer: Linear<NdArray> = LinearConfig::new(512, 256).with_initializer(initializer).init(&device);

    // Afterwards: other values for one parameter.
    let mut layer = layer;
    layer.bias = layer.bias.map(|bias| bias.map(|values| values.zeros_like()));

    // The same numbers in every run.
    NdArray::<f32>::seed(42);
    // ANCHOR_END: initializer
    // The standard deviation is sqrt(2 / 512).
    let deviation: f32 = layer.weight.val().square().mean().sqrt().into_scalar();
    assert!((deviation - 0.0625).abs() < 0.001, "{deviation}");
    assert_eq!(layer.bias.unwrap().val().into_data().to_f64(), [0.0; 256]);
}

#[test]
fn layers_know_whether_they_are_trained() {
    let device = Default::default();
    // ANCHOR: modes
    use burn::nn::DropoutConfig;

    type Training = Autodiff<NdArray>;
    let norm: BatchNorm<Training> = BatchNormConfig::new(1).init(&device);
    let x = Tensor::<Training, 2>::from_data([[1.0], [3.0]], &device);

    // Training: by the mean and variance of the batch, which go into the running statistics.
    norm.forward(x.clone());
    assert!((norm.running_mean.value().into_scalar() - 0.2).abs() < 1e-6);

    // Evaluation: by the running statistics, which stay. Dropout is the identity.
    let norm: BatchNorm<NdArray> = norm.valid();
    let y = norm.forward(x.clone().inner());
    let dropout = DropoutConfig::new(0.5).init();
    assert_eq!(dropout.forward(y.clone()).into_data(), y.into_data());
    // ANCHOR_END: modes
    assert!((norm.running_mean.value().into_scalar() - 0.2).abs() < 1e-6);
}

#[test]
fn wrong_sizes_are_refused_with_the_layer_and_the_numbers() {
    let device: <NdArray as Backend>::Device = Default::default();
    // ANCHOR: errors
    let result = Conv2dConfig::new([3, 8], [3, 3]).with_groups(2).try_init::<NdArray>(&device);
    let error = result.expect_err("2 groups do not divide 3 channels");
    println!("{error}");
    // ANCHOR_END: errors
    let printed = "Conv2dConfig: invalid `groups`; expected a divisor of the channels [3, 8], got 2";
    assert_eq!(error.to_string(), printed);
    assert!(include_str!("../../src/building-blocks/layers.md").contains(printed));
}

// ANCHOR: own
use burn::config::{ConfigError, FieldCheck};
use burn::module::{Initializer, Param};

/// Options of [`Maxout`].
#[derive(Config, Debug)]
pub struct MaxoutConfig {
    /// Size of the last dimension of the input.
    pub d_input: usize,
    /// Size of the last dimension of the output.
    pub d_output: usize,
    /// Number of linear functions, of which each output is the largest.
    #[config(default = 2)]
    pub pieces: usize,
}

impl MaxoutConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<Maxout<B>, ConfigError> {
        FieldCheck::of("MaxoutConfig").at_least("pieces", self.pieces, 1)?;
        let shape = [self.pieces, self.d_input, self.d_output];
        // The fans are those of one linear function; of a shape of rank 3 they could not be known.
        let (fan_in, fan_out) = (Some(self.d_input), Some(self.d_output));
        Ok(Maxout {
            weight: Initializer::XavierUniform { gain: 1.0 }.init_with(shape, fan_in, fan_out, device),
        })
    }
}

/// Maxout layer: `y = max over k of x weight[k]` (Goodfellow et al. 2013).
#[derive(Module, Debug)]
pub struct Maxout<B: Backend> {
    /// `[pieces, d_input, d_output]`.
    weight: Param<Tensor<B, 3>>,
}

impl<B: Backend> Maxout<B> {
    /// `[batch, d_input]` to `[batch, d_output]`.
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        x.unsqueeze::<3>().matmul(self.weight.val()).max_dim(0).squeeze_dim(0)
    }
}
// ANCHOR_END: own

#[test]
fn a_layer_of_ones_own_has_gradients() {
    type A = Autodiff<NdArray>;
    let device = Default::default();
    let mut layer: Maxout<A> = MaxoutConfig::new(2, 1).try_init(&device).unwrap();
    layer.weight = Param::from_data([[[1.0], [0.0]], [[0.0], [2.0]]], &device);
    let y = layer.forward(Tensor::from_data([[3.0, 1.0], [1.0, 4.0]], &device));
    assert_eq!(y.to_data().to_f64(), [3.0, 8.0]);
    let gradient = layer.weight.val().grad(&y.sum().backward()).unwrap();
    assert_eq!(gradient.into_data().to_f64(), [3.0, 1.0, 1.0, 4.0]);
    assert!(MaxoutConfig::new(2, 1).with_pieces(0).try_init::<A>(&device).is_err());
}
