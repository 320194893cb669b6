// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

use burn::module::{Module, Param, Initializer};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Tensor, backend::Backend, DType, module};

/// Model of `model.onnx`, 135 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    /// `lstm.recurrent`, [3, 12].
    pub lstm_recurrent: Param<Tensor<B, 2>>,
    /// Linear layer from 4 to 12 features.
    pub lstm_input: Linear<B>,
    /// `lstm.bias`, [1, 1, 12].
    pub lstm_bias: Param<Tensor<B, 3>>,
    /// Linear layer from 3 to 5 features.
    pub direction: Linear<B>,
    /// Linear layer from 5 to 2 features.
    pub table: Linear<B>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(device: &B::Device) -> Self {
        Model {
            lstm_recurrent: Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            }
                .init([3, 12], device),
            lstm_input: LinearConfig::new(4, 12).init(device),
            lstm_bias: Initializer::Normal {
                mean: 0.0,
                std: 0.02,
            }
                .init([1, 1, 12], device),
            direction: LinearConfig::new(3, 5).with_bias(false).init(device),
            table: LinearConfig::new(5, 2).init(device),
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `x`: `[steps, batch, 4]`, f32
    ///
    /// Outputs:
    ///
    /// - `y`: `[steps, batch, 2]`, f32
    #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let device = &x.device();
        let [_, batch, _] = x.dims().map(|size| size as i64);
        let lstm_input = self.lstm_input.forward(x);
        let full_list: Tensor<B, 1> = Tensor::full([1], 0.0, (device, DType::F32));
        let reshape = full_list.reshape([1, 1]);
        let expand = reshape.expand([batch, 3]);
        let add = lstm_input.add(self.lstm_bias.val());
        let (lstm, _lstm_2, _lstm_3) = {
            let first = expand.clone();
            let state = module::RecurrentState {
                hidden: expand,
                cell: Some(first.clone()),
            };
            let options = module::RecurrentOptions {
                kind: module::RecurrentKind::Lstm,
                reverse: false,
                lengths: None,
            };
            let (steps, last) = module::recurrent(
                add,
                self.lstm_recurrent.val(),
                None,
                state,
                options,
            );
            (steps, last.hidden, last.cell.unwrap_or(first))
        };
        let states: Tensor<B, 4> = lstm.unsqueeze_dims(&[1]);
        let sequence: Tensor<B, 3> = states.squeeze_dims(&[1]);
        let wide = self.direction.forward(sequence);
        let y = self.table.forward(wide);
        y
    }
}
