// ANCHOR: program
use burn::backend::NdArray;
use burn::tensor::Tensor;

// The backend: everything runs on the processor.
type B = NdArray;

fn main() {
    let device = Default::default();
    // A tensor of rank 2 from numbers, and one of the same shape filled with ones.
    let x = Tensor::<B, 2>::from_data([[2.0, 3.0], [4.0, 5.0]], &device);
    let y = Tensor::<B, 2>::ones_like(&x);

    println!("{}", x + y);
}
// ANCHOR_END: program

#[test]
fn x_701_the_first_program() {
    crate::page_output::page_prints!("getting-started.md");
}
