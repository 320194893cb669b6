// ANCHOR: program
use burn::backend::{AnyBackend, AnyDevice};
use burn::prelude::*;
use burn::tensor::DynTensor;

fn main() {
    // The backend is chosen by a text, such as an argument of the program.
    let device: AnyDevice = "ndarray".parse().expect("a backend that is compiled in");
    let matrix = Tensor::<AnyBackend, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let row = Tensor::<AnyBackend, 1>::from_data([10.0, 20.0], &device);

    // The rank is known when the program runs; ranks broadcast as in NumPy.
    let sum = DynTensor::from(matrix) + DynTensor::from(row);
    println!("rank {}", sum.rank());
    let sum: Tensor<AnyBackend, 2> = sum.into_rank();
    println!("{}", sum.into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_ranks_at_run_time() {
    crate::page_output::page_prints!("tensor/dynamic.md");
}
