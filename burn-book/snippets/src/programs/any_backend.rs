// ANCHOR: program
// cargo add --path ../burn/crates/burn --features fusion

use burn::backend::{Autodiff, Fusion, NdArray};
use burn::prelude::*;

fn mean_square<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 1> {
    (x.clone() * x).mean()
}

fn example<B: Backend>() -> f32 {
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    mean_square(x).into_scalar().elem()
}

fn main() {
    println!("on the CPU: {}", example::<NdArray>());
    println!("with gradients: {}", example::<Autodiff<NdArray>>());
    println!("with gradients and fusion: {}", example::<Autodiff<Fusion<NdArray>>>());
}
// ANCHOR_END: program

#[test]
fn x_701_backends() {
    crate::page_output::page_prints!("basic-workflow/backend.md");
}
