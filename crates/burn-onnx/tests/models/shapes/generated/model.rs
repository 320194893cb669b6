// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

use burn::module::{Module, Param, Initializer};
use burn::tensor::{Tensor, backend::Backend, s};

/// Model of `model.onnx`, 2 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    /// `scale`, [1, 1, 1, 2].
    pub scale: Param<Tensor<B, 4>>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(device: &B::Device) -> Self {
        Model {
            scale: Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            }
                .init([1, 1, 1, 2], device),
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `x`: `[batch, length, 4]`, f32
    ///
    /// Outputs:
    ///
    /// - `z`: `[1, batch, 2, 2]`, f32
    #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 4> {
        let [batch, length, _] = x.dims().map(|size| size as i64);
        let front = x.slice(s![.., .. (length / 2), ..]);
        let split = front.reshape([batch, length / 2, 2, 2]);
        let mean_dims = split.mean_dims(&[1]);
        let mean: Tensor<B, 3> = mean_dims.squeeze_dims(&[1]);
        let unsqueeze_dims: Tensor<B, 4> = mean.unsqueeze_dims(&[0]);
        let wider = unsqueeze_dims.expand([1, batch, 2, 2]);
        let y = wider.mul(self.scale.val());
        let z = y.div_scalar(length as f64);
        z
    }
}
