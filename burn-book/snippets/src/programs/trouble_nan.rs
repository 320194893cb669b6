// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::optim::GradientsParams;
use burn::prelude::*;
use burn::tensor::{activation, anomaly};

type B = Autodiff<NdArray>;

fn main() {
    let device = Default::default();
    let logits = Tensor::<B, 2>::from_data([[200.0, 0.0]], &device).require_grad();

    // The softmax of 0 beside 200 is 0 in `f32`, and the logarithm of 0 is infinite.
    let loss = -activation::softmax(logits.clone(), 1).log().min();
    println!("logarithm of the softmax: {}", loss.into_scalar());
    // One function for both is stable.
    let loss = -activation::log_softmax(logits.clone(), 1).min();
    println!("log_softmax: {}", loss.into_scalar());

    // While the guard lives, the first operation that makes a NaN or an infinity panics with its name.
    // A thread of its own lets this program go on.
    let search = std::thread::spawn(move || {
        let _guard = anomaly::detect();
        activation::softmax(logits, 1).log().min().into_scalar()
    });
    let panic = search.join().expect_err("the logarithm is infinite");
    println!("{}", panic.downcast_ref::<String>().expect("the message is a text"));

    // Exploding gradients: rescale them before the step, and look at their norm.
    let model = burn::nn::LinearConfig::new(2, 1).init::<B>(&device);
    let loss = (model.forward(Tensor::<B, 2>::full([1, 2], 1e4, &device)) - 1e6).square().mean();
    let mut gradients = GradientsParams::from_grads(loss.backward(), &model);
    let norm = gradients.clip_by_global_norm(1.0);
    println!("norm above 1e9 before, {:.2} after", gradients.global_norm());
    assert!(norm > 1e9);
}
// ANCHOR_END: program

#[test]
fn x_701_loss_is_nan() {
    crate::page_output::page_prints!("troubleshooting/nan.md");
}
