// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig};
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::prelude::*;

type B = Autodiff<NdArray>;

fn main() {
    let device = Default::default();
    B::seed(5);
    let model: Linear<B> = LinearConfig::new(4, 1).init(&device);
    let x = Tensor::<B, 2>::random([64, 4], burn::tensor::Distribution::Default, &device);

    // One batch of 64: its activations are in memory together.
    let loss = model.forward(x.clone()).square().mean();
    let whole = GradientsParams::from_grads(loss.backward(), &model);

    // Four parts of 16, one after the other: a quarter of the activations, the same gradients.
    let mut sum = GradientsAccumulator::new();
    for part in x.chunk(4, 0) {
        let loss = model.forward(part).square().mean() / 4.0;
        sum.accumulate(&model, GradientsParams::from_grads(loss.backward(), &model));
    }
    let parts = sum.grads();

    let gradient = |gradients: &GradientsParams| -> Tensor<NdArray, 2> {
        gradients.get(model.weight.id()).expect("the loss depends on the weight")
    };
    println!("equal: {}", gradient(&whole).all_close(gradient(&parts), None, None));
}
// ANCHOR_END: program

#[test]
fn x_701_out_of_memory() {
    crate::page_output::page_prints!("troubleshooting/memory.md");
}
