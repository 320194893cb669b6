// ANCHOR: program
// cargo add --path ../burn/crates/burn --features candle

use burn::backend::candle::{CandleTensor, candle_core};
use burn::backend::{Autodiff, Candle};
use burn::tensor::Tensor;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // A tensor of candle becomes one of Burn, without a copy.
    let theirs = candle_core::Tensor::new(&[1.0_f32, 2.0], &candle_core::Device::Cpu)?;
    let inner = Tensor::<Candle, 1>::from_handle(CandleTensor::from_candle(theirs)?);
    let x = Tensor::<Autodiff<Candle>, 1>::from_inner(inner).require_grad();
    let gradients = x.clone().powf_scalar(3.0).sum().backward();

    // The gradient of the sum of cubes, 3 x^2, as a tensor of candle.
    let gradient = x.grad(&gradients).expect("the sum depends on x").into_handle().into_candle();
    println!("{:?}", gradient.to_vec1::<f32>()?);
    Ok(())
}
// ANCHOR_END: program

#[test]
fn x_701_a_program_with_tensors_of_candle() {
    crate::page_output::page_prints!("backends/candle.md");
}
