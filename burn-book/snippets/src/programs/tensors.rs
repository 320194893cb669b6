// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;

type B = NdArray;

fn main() {
    let device = Default::default();
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], &device);
    println!("shape {:?}, {}", x.dims(), x.dtype());

    // Reductions keep their dimension, so that shapes broadcast.
    let centred = x.clone() - x.clone().mean_dim(1);
    println!("centred: {}", centred.into_data());

    // A product of matrices, and a part of it.
    let product = x.clone().matmul(x.clone().transpose());
    println!("first row: {}", product.slice(s![0, ..]).into_data());

    // Comparisons give booleans, which select elements.
    let mask = x.clone().greater_elem(3.0);
    println!("{} of 6 are greater than 3", mask.clone().int().sum().into_scalar());
    println!("the others are zero: {}", x.mask_fill(mask.bool_not(), 0.0).into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_tensors() {
    crate::page_output::page_prints!("tensor/README.md");
}
