//! Without a backend parameter the weights would silently not be saved.

use burn_core::module::{Module, Param};
use burn_core::tensor::Tensor;
use burn_ndarray::NdArray;

#[derive(Module, Clone, Debug)]
struct Model {
    weight: Param<Tensor<NdArray, 2>>,
}

fn main() {}
