// ANCHOR: program
// cargo add --path ../burn/crates/burn --features amp,capture

use burn::backend::capture::{Capture, Recording};
use burn::backend::{Amp, Autodiff, NdArray};
use burn::prelude::*;

fn main() {
    let device = Default::default();

    // Amp: products are computed in bf16, and results have the element type that the program expects.
    let x = Tensor::<Autodiff<Amp<NdArray>>, 2>::ones([4, 8], &device);
    println!("{}", x.clone().matmul(x.transpose()).dtype());

    // Capture: the calls as a program that can be saved, read and run again.
    type C = Capture<NdArray>;
    let weight = Tensor::<C, 2>::from_data([[1.0, -1.0], [0.5, 2.0]], &device);
    let recording = Recording::<NdArray>::start();
    let x = Tensor::<C, 2>::zeros([3, 2], &device);
    recording.input("x", x.handle());
    let y = x.matmul(weight).tanh();
    let program = recording.finish([("y", y.handle())]).expect("constants can be read");
    print!("{program}");
}
// ANCHOR_END: program

#[test]
fn x_701_decorators() {
    crate::page_output::page_prints!("backends/decorators.md");
}
