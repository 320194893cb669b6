use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{AdaptiveAvgPool2d, AdaptiveAvgPool2dConfig, MaxPool2d, MaxPool2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::prelude::*;

#[derive(Module, Debug)]
struct Cnn<B: Backend> {
    conv1: Conv2d<B>,
    conv2: Conv2d<B>,
    max_pool: MaxPool2d,
    avg_pool: AdaptiveAvgPool2d,
    linear: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Cnn<B> {
    fn new(device: &B::Device) -> Self {
        Cnn {
            conv1: Conv2dConfig::new([1, 16], [3, 3]).with_padding(PaddingConfig2d::Same).init(device),
            conv2: Conv2dConfig::new([16, 32], [3, 3]).with_padding(PaddingConfig2d::Same).init(device),
            max_pool: MaxPool2dConfig::new([2, 2]).with_stride([2, 2]).init(),
            avg_pool: AdaptiveAvgPool2dConfig::new([1, 1]).init(),
            linear: LinearConfig::new(32, 10).init(device),
            activation: Relu::new(),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.conv1.forward(images));
        let x = self.max_pool.forward(x);
        let x = self.activation.forward(self.conv2.forward(x));
        let x = self.avg_pool.forward(x).flatten(1, 3);
        self.linear.forward(x)
    }
}

#[test]
fn tu_006_a_convolutional_network() {
    type B = burn::backend::NdArray;
    let device = Default::default();
    let model = Cnn::<B>::new(&device);
    let images = Tensor::<B, 4>::random([4, 1, 28, 28], burn::tensor::Distribution::Default, &device);
    assert_eq!(model.forward(images).dims(), [4, 10]);
    assert_eq!(model.num_params(), (9 * 16 + 16) + (16 * 9 * 32 + 32) + (32 * 10 + 10));
}
