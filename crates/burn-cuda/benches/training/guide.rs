//! The network of the book's guide.

use burn_core::module::Module;
use burn_nn::conv::{Conv2d, Conv2dConfig};
use burn_nn::loss::CrossEntropyLossConfig;
use burn_nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig};
use burn_nn::{Dropout, DropoutConfig, Linear, LinearConfig, Relu};
use burn_tensor::{AutodiffBackend, Backend, Distribution, Int, Tensor};

#[derive(Module, Debug)]
struct Guide<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    pool: AdaptiveAvgPool2d,
    dropout: Dropout,
    linear1: Linear<B>,
    linear2: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Guide<B> {
    fn new(device: &B::Device) -> Self {
        Guide {
            conv1: Conv2dConfig::new([1, 8], [3, 3]).init(device),
            conv2: Conv2dConfig::new([8, 16], [3, 3]).init(device),
            pool: AdaptiveAvgPool2dConfig::new([8, 8]).init(),
            dropout: DropoutConfig::new(0.5).init(),
            linear1: LinearConfig::new(1024, 512).init(device),
            linear2: LinearConfig::new(512, 10).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.conv1.forward(images);
        let x = self.conv2.forward(self.dropout.forward(x));
        let x = self.activation.forward(self.dropout.forward(x));
        let x = self.pool.forward(x).flatten(1, 3);
        let x = self.dropout.forward(self.linear1.forward(x));
        self.linear2.forward(self.activation.forward(x))
    }
}

/// Steps with new images for each.
pub fn steps<B: AutodiffBackend>() -> impl Fn() {
    let device = B::Device::default();
    let loss = CrossEntropyLossConfig::new().init(&device);
    super::steps(Guide::new(&device), move |model: &Guide<B>| {
        let images = Tensor::random([64, 1, 28, 28], Distribution::Normal(0.0, 1.0), &device);
        let targets = Tensor::<B, 1, Int>::random([64], Distribution::Uniform(0.0, 10.0), &device);
        loss.forward(model.forward(images), targets)
    })
}
