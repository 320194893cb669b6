// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

use burn::module::Module;
use burn::nn::{
    Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::tensor::{Tensor, backend::Backend, DType, Int, activation};

/// Model of `model.onnx`, 2736 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    /// Embedding of 20 indices in 16 dimensions.
    pub tokens: Embedding<B>,
    /// Embedding of 12 indices in 16 dimensions.
    pub positions: Embedding<B>,
    /// Linear layer from 16 to 16 features.
    pub query: Linear<B>,
    /// Linear layer from 16 to 16 features.
    pub key: Linear<B>,
    /// Linear layer from 16 to 16 features.
    pub value: Linear<B>,
    /// Linear layer from 16 to 16 features.
    pub out: Linear<B>,
    /// Layer normalization of 16 features.
    pub norm1: LayerNorm<B>,
    /// Linear layer from 16 to 32 features.
    pub up: Linear<B>,
    /// Linear layer from 32 to 16 features.
    pub down: Linear<B>,
    /// Layer normalization of 16 features.
    pub norm1_2: LayerNorm<B>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(device: &B::Device) -> Self {
        Model {
            tokens: EmbeddingConfig::new(20, 16).init(device),
            positions: EmbeddingConfig::new(12, 16).init(device),
            query: LinearConfig::new(16, 16).init(device),
            key: LinearConfig::new(16, 16).init(device),
            value: LinearConfig::new(16, 16).init(device),
            out: LinearConfig::new(16, 16).init(device),
            norm1: LayerNormConfig::new(16).with_epsilon(1e-5).init(device),
            up: LinearConfig::new(16, 32).init(device),
            down: LinearConfig::new(32, 16).init(device),
            norm1_2: LayerNormConfig::new(16).with_epsilon(1e-5).init(device),
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `ids`: `[batch, length]`, i64
    /// - `mask`: `[batch, length]`, i64
    ///
    /// Outputs:
    ///
    /// - `output`: `[batch, length, 16]`, f32
    #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn forward(
        &self,
        ids: Tensor<B, 2, Int>,
        mask: Tensor<B, 2, Int>,
    ) -> Tensor<B, 3> {
        let device = &ids.device();
        let [batch, length] = ids.dims().map(|size| size as i64);
        let range: Tensor<B, 1, Int> = Tensor::arange_step(
            0..length,
            1,
            (device, DType::I64),
        );
        let unsqueeze: Tensor<B, 2, Int> = range.unsqueeze_dims(&[0]);
        let lower_elem = ids.clone().lower_elem(0);
        let add_scalar = ids.clone().add_scalar(20);
        let mask_where = ids.mask_where(lower_elem, add_scalar);
        let tokens_gather = self.tokens.forward(mask_where);
        let lower_elem_2 = unsqueeze.clone().lower_elem(0);
        let add_scalar_2 = unsqueeze.clone().add_scalar(12);
        let mask_where_2 = unsqueeze.mask_where(lower_elem_2, add_scalar_2);
        let positions_gather = self.positions.forward(mask_where_2);
        let add = tokens_gather.add(positions_gather);
        let query_add = self.query.forward(add.clone());
        let reshape = query_add.reshape([batch, length, 2, 8]);
        let transpose = reshape.permute([0, 2, 1, 3]);
        let key_add = self.key.forward(add.clone());
        let reshape_1 = key_add.reshape([batch, length, 2, 8]);
        let value_add = self.value.forward(add.clone());
        let reshape_2 = value_add.reshape([batch, length, 2, 8]);
        let transpose_1 = reshape_2.permute([0, 2, 1, 3]);
        let transpose_2 = reshape_1.permute([0, 2, 3, 1]);
        let mat_mul = transpose.matmul(transpose_2);
        let div = mat_mul.div_scalar(2.828427);
        let unsqueeze_7: Tensor<B, 3, Int> = mask.unsqueeze_dims(&[1]);
        let unsqueeze_8: Tensor<B, 4, Int> = unsqueeze_7.unsqueeze_dims(&[2]);
        let equal = unsqueeze_8.equal_elem(0);
        let where_ = div.mask_fill(equal, -1000000000.0);
        let softmax = activation::softmax(where_, 3);
        let mat_mul_1 = softmax.matmul(transpose_1);
        let transpose_3 = mat_mul_1.permute([0, 2, 1, 3]);
        let reshape_3 = transpose_3.reshape([batch, length, 16]);
        let out_add = self.out.forward(reshape_3);
        let add_1 = add.add(out_add);
        let norm1_layer_normalization = self.norm1.forward(add_1);
        let up_add = self.up.forward(norm1_layer_normalization.clone());
        let mul_1 = activation::gelu(up_add);
        let down_add = self.down.forward(mul_1);
        let add_3 = norm1_layer_normalization.add(down_add);
        let output = self.norm1_2.forward(add_3);
        output
    }
}
