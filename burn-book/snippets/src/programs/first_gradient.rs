// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::tensor::Tensor;

// The backend with gradients around it.
type B = Autodiff<NdArray>;

fn main() {
    let device = Default::default();
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let loss = x.clone().powf_scalar(2.0).sum();
    let gradients = loss.backward();

    // The derivative of the sum of squares is 2 x.
    let gradient = x.grad(&gradients).expect("the loss depends on x");
    println!("{}", gradient.into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_the_first_gradient() {
    crate::page_output::page_prints!("getting-started.md");
}
