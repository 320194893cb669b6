// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;
use burn::tensor::TensorError;

/// Scores a request of unknown shape without panicking: every shape error is returned.
fn score<B: Backend>(features: Tensor<B, 2>, weight: Tensor<B, 2>) -> Result<Tensor<B, 2>, TensorError> {
    let mean = features.clone().try_mean_dim(1)?;
    features.try_sub(mean)?.try_matmul(weight)
}

fn main() {
    let device = Default::default();
    let weight = Tensor::<NdArray, 2>::ones([3, 1], &device);
    for width in [3, 4] {
        match score(Tensor::ones([2, width], &device), weight.clone()) {
            Ok(scores) => println!("scores of shape {:?}", scores.dims()),
            Err(error) => println!("{} failed: {error}", error.operation()),
        }
    }
}
// ANCHOR_END: program

#[test]
fn x_701_errors_of_tensors() {
    crate::page_output::page_prints!("tensor/errors.md");
}
