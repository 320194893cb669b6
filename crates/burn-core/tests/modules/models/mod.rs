//! Modules with every kind of field.

use burn_core::module::{Initializer, Module, Param};
use burn_core::tensor::{Backend, Tensor};

#[derive(Module, Debug)]
pub struct Affine<B: Backend> {
    pub weight: Param<Tensor<B, 2>>,
    pub bias: Option<Param<Tensor<B, 1>>>,
}

impl<B: Backend> Affine<B> {
    pub fn with(weight: Initializer, size: usize, device: &B::Device) -> Self {
        Affine {
            weight: weight.init([size, size], device),
            bias: Some(Initializer::Zeros.init([size], device)),
        }
    }

    #[allow(dead_code)]
    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let y = x.matmul(self.weight.val());
        match &self.bias {
            Some(bias) => {
                let [size] = bias.dims();
                y + bias.val().reshape([1, size])
            }
            None => y,
        }
    }
}

/// One of two modules.
#[derive(Module, Debug)]
pub enum Activation<B: Backend> {
    Gated(Affine<B>),
    #[allow(dead_code)]
    Plain(Affine<B>),
}

/// A constant.
#[derive(Module, Clone, Debug)]
pub struct Scale {
    pub factor: f64,
}

/// Generic in a module.
#[derive(Module, Debug)]
pub struct Mlp<B: Backend, S: Module<B> = Scale> {
    pub first: Affine<B>,
    pub hidden: Vec<Affine<B>>,
    pub last: Activation<B>,
    pub pair: (Affine<B>, Affine<B>),
    pub scale: S,
    pub size: usize,
    pub sizes: Vec<usize>,
    pub name: String,
    pub mask: Tensor<B, 1>,
}

impl<B: Backend> Mlp<B> {
    pub fn new(size: usize, device: &B::Device) -> Self {
        let affine = || Affine::with(Initializer::TORCH, size, device);
        Mlp {
            first: affine(),
            hidden: vec![affine(), affine()],
            last: Activation::Gated(affine()),
            pair: (affine(), affine()),
            scale: Scale { factor: 0.5 },
            size,
            sizes: vec![size; 2],
            name: "mlp".to_string(),
            mask: Tensor::full([1], 1.0, device),
        }
    }
}
