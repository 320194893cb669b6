//! Networks that the generator of `burn-onnx` writes, with the weights inside.

use burn::backend::NdArray;
use burn::tensor::{Int, Tensor};

/// Layers.
pub mod convnet {
    include!("../../../crates/burn-onnx/tests/models/convnet/generated/model.rs");
}

/// Branches and loops.
pub mod control {
    include!("../../../crates/burn-onnx/tests/models/control/generated/model.rs");
}

/// The class of an image, `[batch, classes]`.
pub fn classified(image: Tensor<NdArray, 4>) -> Tensor<NdArray, 2> {
    convnet::Model::default().forward(image)
}

/// Runs a model with a branch and loops.
pub fn controlled(
    x: Tensor<NdArray, 2>,
    steps: Tensor<NdArray, 1, Int>,
) -> (Tensor<NdArray, 2>, Tensor<NdArray, 1>) {
    control::Model::default().forward(x, steps)
}
