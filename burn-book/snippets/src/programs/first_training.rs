// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsParams, Optimizer, SgdConfig};
use burn::prelude::*;

type B = Autodiff<NdArray>;

fn main() {
    let device = Default::default();
    B::seed(1);
    // Points on the line y = 3 x + 1.
    let x = Tensor::<B, 2>::from_data([[0.0], [1.0], [2.0], [3.0]], &device);
    let y = x.clone() * 3.0 + 1.0;

    let mut model: Linear<B> = LinearConfig::new(1, 1).init(&device);
    let mut optimizer = SgdConfig::new().init();
    for _ in 0..500 {
        let loss = (model.forward(x.clone()) - y.clone()).square().mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        model = optimizer.step(0.1, model, gradients);
    }

    let bias = model.bias.expect("a linear layer has a bias unless its config says otherwise");
    let (slope, offset) = (model.weight.val().into_scalar(), bias.val().into_scalar());
    println!("y = {slope:.2} x + {offset:.2}");
}
// ANCHOR_END: program

#[test]
fn x_701_the_first_training() {
    crate::page_output::page_prints!("getting-started.md");
}
