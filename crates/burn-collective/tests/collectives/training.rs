//! A model that is trained on any number of ranks.

use crate::tensors::B;
use burn::backend::Autodiff;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, activation};

pub type A = Autodiff<B>;

#[derive(Module, Debug)]
pub struct Mlp<T: Backend> {
    pub first: Linear<T>,
    pub second: Linear<T>,
}

impl<T: Backend> Mlp<T> {
    /// Another model on every call: random numbers come from one generator.
    pub fn new() -> Self {
        let device = Default::default();
        Mlp { first: LinearConfig::new(3, 5).init(&device), second: LinearConfig::new(5, 2).init(&device) }
    }

    pub fn forward(&self, x: Tensor<T, 2>) -> Tensor<T, 2> {
        self.second.forward(activation::tanh(self.first.forward(x)))
    }

    pub fn values(&self) -> Vec<f64> {
        let tensors = [&self.first.weight, &self.second.weight];
        let biases = [&self.first.bias, &self.second.bias];
        let mut values: Vec<f64> = tensors.iter().flat_map(|x| x.val().into_data().to_f64()).collect();
        values.extend(biases.iter().flat_map(|x| x.as_ref().unwrap().val().into_data().to_f64()));
        values
    }
}

pub const ITEMS: usize = 30;

/// Inputs and targets of some items.
pub fn batch(items: &[usize]) -> (Tensor<A, 2>, Tensor<A, 2>) {
    let number = |item: usize, at: usize| ((item * 13 + at * 7) as f64).sin();
    let table = |width: usize, from: usize| {
        let values: Vec<f64> =
            items.iter().flat_map(|item| (0..width).map(move |at| number(*item, at + from))).collect();
        Tensor::<A, 1>::from_data(values.as_slice(), &Default::default()).reshape([items.len(), width])
    };
    (table(3, 0), table(2, 100))
}
