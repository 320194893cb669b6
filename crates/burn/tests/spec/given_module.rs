//! Modules to begin with.

use burn::module::{Initializer, Module, Param};
use burn::tensor::Tensor;
use burn::tensor::backend::Backend;

#[derive(Module, Debug)]
pub struct Affine<B: Backend> {
    pub weight: Param<Tensor<B, 2>>,
    pub bias: Option<Param<Tensor<B, 1>>>,
}

impl<B: Backend> Affine<B> {
    pub fn new(d_input: usize, d_output: usize, device: &B::Device) -> Self {
        Affine {
            weight: Initializer::TORCH.init([d_input, d_output], device),
            bias: Some(Initializer::Zeros.init([d_output], device)),
        }
    }

    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let y = x.matmul(self.weight.val());
        match &self.bias {
            Some(bias) => y + bias.val().unsqueeze(),
            None => y,
        }
    }
}

/// Two layers and a constant of each sort.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    pub first: Affine<B>,
    pub second: Affine<B>,
    pub scale: f64,
    pub offset: Tensor<B, 1>,
}

impl<B: Backend> Model<B> {
    pub fn new(size: usize, device: &B::Device) -> Self {
        let affine = || Affine::new(size, size, device);
        Model { first: affine(), second: affine(), scale: 0.5, offset: Tensor::ones([1], device) }
    }

    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.second.forward(self.first.forward(x) * self.scale) + self.offset.clone().unsqueeze()
    }
}
