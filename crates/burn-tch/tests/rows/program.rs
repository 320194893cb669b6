// ANCHOR: program
// cargo add --path ../burn/crates/burn --features tch

use burn::backend::libtorch::{TchTensor, tch};
use burn::backend::{Autodiff, LibTorch};
use burn::tensor::Tensor;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // A tensor of LibTorch becomes one of Burn, without a copy.
    let theirs = tch::Tensor::from_slice(&[1.0_f32, 2.0]);
    let inner = Tensor::<LibTorch, 1>::from_handle(TchTensor::from_tch(theirs)?);
    let x = Tensor::<Autodiff<LibTorch>, 1>::from_inner(inner).require_grad();
    let gradients = x.clone().powf_scalar(3.0).sum().backward();

    // The gradient of the sum of cubes, 3 x^2, as a tensor of LibTorch.
    let gradient = x.grad(&gradients).expect("the sum depends on x").into_handle().into_tch();
    println!("{:?}", Vec::<f32>::try_from(gradient)?);
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_a_program_with_tensors_of_libtorch() {
    crate::page_output::page_prints!("backends/libtorch.md");
}
