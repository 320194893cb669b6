//! A 30-line program on the leaf alone, to time its build: no gradients, so the step is a random search.

use burn_ndarray::NdArray;
use burn_tensor::activation::{relu, softmax};
use burn_tensor::backend::Backend;
use burn_tensor::{Device, Distribution, Tensor};

type Stack = NdArray;

struct Mlp<B: Backend> {
    hidden: (Tensor<B, 2>, Tensor<B, 2>),
    output: (Tensor<B, 2>, Tensor<B, 2>),
}

fn linear<B: Backend>(x: Tensor<B, 2>, (w, b): &(Tensor<B, 2>, Tensor<B, 2>)) -> Tensor<B, 2> {
    x.matmul(w.clone()) + b.clone()
}

impl<B: Backend> Mlp<B> {
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        softmax(linear(relu(linear(x, &self.hidden)), &self.output), 1)
    }
}

fn main() {
    let device = Device::<Stack>::default();
    let random = |shape| Tensor::<Stack, 2>::random(shape, Distribution::Normal(0.0, 0.3), &device);
    let mut model =
        Mlp { hidden: (random([8, 16]), random([1, 16])), output: (random([16, 4]), random([1, 4])) };
    for step in 0..3 {
        let loss = -(model.forward(random([32, 8])).log().sum() / 32);
        model.output.0 = model.output.0 - random([16, 4]) * 0.1;
        println!("{step}: {loss:.3}");
    }
}
