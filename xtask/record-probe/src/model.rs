use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{LayerNorm, LayerNormConfig, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::Tensor;
use burn::tensor::activation::relu;
use burn::tensor::backend::Backend;

/// Images are square; so many numbers high and wide.
pub const SIZE: usize = 6;
const CHANNELS: usize = 4;

/// A convolution, a norm and a linear layer: from images to one number each.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    conv: Conv2d<B>,
    norm: LayerNorm<B>,
    linear: Linear<B>,
}

impl<B: Backend> Model<B> {
    pub fn init(device: &B::Device) -> Self {
        let features = CHANNELS * SIZE * SIZE;
        Model {
            conv: Conv2dConfig::new([1, CHANNELS], [3, 3]).with_padding(PaddingConfig2d::Same).init(device),
            norm: LayerNormConfig::new(features).init(device),
            linear: LinearConfig::new(features, 1).init(device),
        }
    }

    /// From `[batch, 1, SIZE, SIZE]` to `[batch, 1]`.
    pub fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let features: Tensor<B, 2> = relu(self.conv.forward(images)).flatten(1, 3);
        self.linear.forward(self.norm.forward(features))
    }
}
