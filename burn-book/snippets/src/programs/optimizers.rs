// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::nn::loss::{MseLoss, Reduction};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, Optimizer};
use burn::prelude::*;

type B = Autodiff<NdArray>;

#[derive(Module, Debug)]
struct Network<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
}

impl<B: Backend> Network<B> {
    /// `[batch, 2]` to `[batch, 1]`.
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.output.forward(self.hidden.forward(x).tanh())
    }
}

fn main() {
    let device = Default::default();
    B::seed(3);
    // The exclusive or of two inputs.
    let x = Tensor::<B, 2>::from_data([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], &device);
    let y = Tensor::<B, 2>::from_data([[0.0], [1.0], [1.0], [0.0]], &device);
    let mut network = Network {
        hidden: LinearConfig::new(2, 8).init(&device),
        output: LinearConfig::new(8, 1).init(&device),
    };
    let mut optimizer = AdamWConfig::new().with_weight_decay(0.0).init();
    for _ in 0..400 {
        let loss = MseLoss::new().forward(network.forward(x.clone()), y.clone(), Reduction::Mean);
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(0.05, network, gradients);
    }
    for (input, output) in ["00", "01", "10", "11"].iter().zip(network.forward(x).into_data().iter::<f32>()) {
        println!("{input} -> {}", output.round().abs());
    }
}
// ANCHOR_END: program

#[test]
fn x_701_optimizers() {
    crate::page_output::page_prints!("building-blocks/optimizers.md");
}
