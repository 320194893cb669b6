use burn::config::Config;
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::activation::relu;
use burn::tensor::{Backend, Tensor};

/// Settings of the network, as the PyTorch program saved them.
#[derive(Config, Debug)]
pub struct ModelConfig {
    /// Channels after each convolution.
    pub channels: [usize; 2],
    /// Kernel size of the convolutions.
    pub kernel_size: usize,
    /// Number of classes.
    pub classes: usize,
    /// Dropout probability before the last layer.
    pub dropout: f64,
    /// Factor from a pixel to the input.
    pub pixel_scale: f64,
}

/// A convolutional network for images of 8 x 8 pixels.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    conv1: Conv2d<B>,
    norm1: BatchNorm<B>,
    conv2: Conv2d<B>,
    norm2: BatchNorm<B>,
    pool: MaxPool2d,
    dropout: Dropout,
    /// The last layer.
    pub classifier: Linear<B>,
}

impl ModelConfig {
    /// Returns the network, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Model<B> {
        let [first, second] = self.channels;
        let conv = |channels| {
            let kernel_size = [self.kernel_size, self.kernel_size];
            Conv2dConfig::new(channels, kernel_size)
                .with_padding(PaddingConfig2d::Explicit(1, 1))
                .init(device)
        };
        Model {
            conv1: conv([1, first]),
            norm1: BatchNormConfig::new(first).init(device),
            conv2: conv([first, second]),
            norm2: BatchNormConfig::new(second).init(device),
            pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            dropout: DropoutConfig::new(self.dropout).init(),
            classifier: LinearConfig::new(4 * second, self.classes).init(device),
        }
    }
}

impl<B: Backend> Model<B> {
    /// Computes the logits, `[batch, classes]`, of images, `[batch, 1, 8, 8]`.
    pub fn forward(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        self.classifier.forward(self.dropout.forward(self.features(x)))
    }

    /// Computes what the last layer is given, `[batch, features]`, of images, `[batch, 1, 8, 8]`.
    pub fn features(&self, x: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.pool.forward(relu(self.norm1.forward(self.conv1.forward(x))));
        let x = self.pool.forward(relu(self.norm2.forward(self.conv2.forward(x))));
        x.flatten(1, 3)
    }
}
