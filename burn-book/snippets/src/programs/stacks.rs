// ANCHOR: program
// cargo add --path ../burn/crates/burn --features amp,capture,fusion,profile

use burn::backend::{Amp, Autodiff, Capture, Fusion, NdArray, Profile};
use burn::prelude::*;

fn sum_of_squares<B: Backend>() -> f32 {
    let x = Tensor::<B, 1>::from_data([1.0, 2.0, 3.0], &Default::default());
    (x.clone() * x).sum().into_scalar().elem()
}

fn main() {
    println!("{}", sum_of_squares::<Autodiff<Profile<NdArray>>>());
    println!("{}", sum_of_squares::<Fusion<Profile<NdArray>>>());
    println!("{}", sum_of_squares::<Capture<Fusion<NdArray>>>());
    println!("{}", sum_of_squares::<Autodiff<Amp<Profile<Fusion<NdArray>>>>>());
}
// ANCHOR_END: program

#[test]
fn x_701_stacks_of_backends() {
    crate::page_output::page_prints!("backends/README.md");
}
