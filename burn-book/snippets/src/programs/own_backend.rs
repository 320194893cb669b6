// ANCHOR: program
// cargo add --path ../burn/examples/minimal-backend

use burn::backend::Autodiff;
use burn::tensor::Tensor;
use minimal_backend::Toy;

fn main() {
    let device = Default::default();
    let x = Tensor::<Autodiff<Toy>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let gradients = x.clone().square().sum().backward();
    println!("{}", x.grad(&gradients).expect("the sum depends on x").into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_own_backend() {
    crate::page_output::page_prints!("backends/own-backend.md");
}
