// ANCHOR: program
use burn::backend::NdArray;
use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;

#[derive(Module, Debug)]
struct Mlp<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Mlp<B> {
    fn new(device: &B::Device) -> Self {
        Mlp {
            hidden: LinearConfig::new(4, 16).init(device),
            output: LinearConfig::new(16, 3).init(device),
            activation: Relu,
        }
    }

    /// Class logits: `[batch, 4]` to `[batch, 3]`.
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.activation.forward(self.hidden.forward(x)))
    }
}

fn main() {
    let device = Default::default();
    let mlp: Mlp<NdArray> = Mlp::new(&device);
    println!("{mlp}");
    println!("{:?}", mlp.forward(Tensor::ones([8, 4], &device)).dims());
}
// ANCHOR_END: program

#[test]
fn x_701_modules() {
    crate::page_output::page_prints!("building-blocks/module.md");
}
