// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::linalg;

type B = NdArray<f64>;

fn main() {
    let device = Default::default();
    let a = Tensor::<B, 2>::from_data([[3.0, 1.0], [1.0, 2.0]], &device);
    let b = Tensor::<B, 2>::from_data([[9.0], [8.0]], &device);
    let x = linalg::solve(a.clone(), b.clone());
    println!("the solution is correct: {}", a.matmul(x.clone()).all_close(b, None, None));
    println!("x: {:.3}, {:.3}", x.clone().slice(s![0]).into_scalar(), x.slice(s![1]).into_scalar());

    // A singular matrix is an error, which names the matrix of the batch.
    let singular = Tensor::<B, 2>::from_data([[1.0, 2.0], [2.0, 4.0]], &device);
    println!("{}", linalg::try_inverse(singular).is_err());
}
// ANCHOR_END: program

#[test]
fn x_701_linear_algebra() {
    crate::page_output::page_prints!("tensor/linalg.md");
}
