// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::DType;

fn main() {
    let device = Default::default();
    let int = |values| Tensor::<NdArray, 1, Int>::from_data(TensorData::from(values), &device);
    // Integers divide toward zero, and a division by zero is 0.
    println!("{}", (int([7, -7, 5]) / int([2, 2, 0])).into_data());
    // Two element types become one that holds both.
    println!("{}", (int([1, 2, 3]).cast(DType::I8) + int([255, 0, 0]).cast(DType::U8)).dtype());

    let x = Tensor::<NdArray, 1>::from_data([1.0, f32::NAN, 3.0], &device);
    // NaN is the largest value: it is the maximum, and last in order.
    println!("{} {}", x.clone().max().into_data(), x.sort(0).into_data());
    // Halves are rounded to the even neighbour.
    let halves = Tensor::<NdArray, 1>::from_data([0.5, 1.5, 2.5], &device);
    println!("{}", halves.round().into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_what_operations_mean() {
    crate::page_output::page_prints!("tensor/semantics.md");
}
