// ANCHOR: program
use burn::backend::{Autodiff, NdArray};
use burn::tensor::Tensor;

type B = Autodiff<NdArray>;

fn main() {
    let device = Default::default();
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
    let y = Tensor::<B, 1>::from_data([4.0, 5.0, 6.0], &device);
    let gradients = (x.clone().square() * y.clone()).sum().backward();

    // 2 x y, on the backend without gradients.
    let slope = x.grad(&gradients).expect("the loss depends on x");
    println!("{}", slope.into_data());
    println!("y has a gradient: {}", y.grad(&gradients).is_some());

    // The step function has no gradient anywhere: an error names it.
    let error = x.greater_elem(0).float().sum().try_backward().expect_err("nothing reaches x");
    println!("{error}");
}
// ANCHOR_END: program

#[test]
fn x_701_gradients() {
    crate::page_output::page_prints!("autodiff/README.md");
}
