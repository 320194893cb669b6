use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;

#[derive(Config, Debug)]
struct MlpConfig {
    inputs: usize,
    hidden: usize,
    outputs: usize,
}

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    first: Linear<B>,
    second: Linear<B>,
    activation: Relu,
}

impl MlpConfig {
    fn init<B: Backend>(&self, device: &B::Device) -> Mlp<B> {
        Mlp {
            first: LinearConfig::new(self.inputs, self.hidden).init(device),
            second: LinearConfig::new(self.hidden, self.outputs).init(device),
            activation: Relu::new(),
        }
    }
}

impl<B: Backend> Mlp<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.first.forward(x));
        self.second.forward(x)
    }
}

#[derive(Module, Debug)]
struct Deep<B: Backend> {
    layers: [Linear<B>; 3],
    activation: Relu,
}

impl<B: Backend> Deep<B> {
    fn new(device: &B::Device) -> Self {
        let layer = |inputs, outputs| LinearConfig::new(inputs, outputs).init(device);
        Deep { layers: [layer(10, 32), layer(32, 32), layer(32, 3)], activation: Relu::new() }
    }
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let [first, second, third] = &self.layers;
        let x = self.activation.forward(first.forward(x));
        third.forward(self.activation.forward(second.forward(x)))
    }
}

type B = burn::backend::NdArray;

#[test]
fn tu_005_a_perceptron_and_its_config() {
    let device = Default::default();
    let model = MlpConfig::new(4, 16, 2).init::<B>(&device);
    let x = Tensor::<B, 2>::random([8, 4], burn::tensor::Distribution::Default, &device);
    assert_eq!(model.forward(x.clone()).dims(), [8, 2]);
    assert_eq!(model.num_params(), 4 * 16 + 16 + 16 * 2 + 2);
    let [b1, b2] = [&model.first.bias, &model.second.bias].map(|bias| bias.as_ref().unwrap().val());
    let hidden = (x.clone().matmul(model.first.weight.val()) + b1.unsqueeze()).clamp_min(0.0);
    let by_hand = hidden.matmul(model.second.weight.val()) + b2.unsqueeze();
    crate::expect::nearly(model.forward(x), by_hand.into_data());
}

#[test]
fn tu_005_three_layers() {
    let device = Default::default();
    let model = Deep::<B>::new(&device);
    assert_eq!(model.forward(Tensor::zeros([16, 10], &device)).dims(), [16, 3]);
}
