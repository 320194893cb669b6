// Generated from `model.onnx` by burn-onnx. Edits are lost when it is generated again.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::tensor::{Tensor, backend::Backend, activation, ops::PoolOptions};

/// Model of `model.onnx`, 1522 parameters.
#[derive(Module, Debug)]
pub struct Model<B: Backend> {
    /// Convolution from 1 to 4 channels, kernel [3, 3].
    pub conv1: Conv2d<B>,
    /// Convolution from 4 to 8 channels, kernel [3, 3].
    pub conv2: Conv2d<B>,
    /// Linear layer from 72 to 16 features.
    pub fc1: Linear<B>,
    /// Linear layer from 16 to 10 features.
    pub fc2: Linear<B>,
}

burn::record::impl_from_embedded!(Model, include_bytes!("model.bin"));

impl<B: Backend> Model<B> {
    /// Makes the model with random weights, which take no memory before their first use.
    pub fn new(device: &B::Device) -> Self {
        Model {
            conv1: Conv2dConfig::new([1, 4], [3, 3])
                .with_padding(PaddingConfig2d::Explicit(1, 1))
                .init(device),
            conv2: Conv2dConfig::new([4, 8], [3, 3])
                .with_stride([2, 2])
                .with_groups(2)
                .with_bias(false)
                .init(device),
            fc1: LinearConfig::new(72, 16).init(device),
            fc2: LinearConfig::new(16, 10).init(device),
        }
    }

    /// Computes the outputs of the model.
    ///
    /// Inputs:
    ///
    /// - `image`: `[batch, 1, 14, 14]`, f32
    ///
    /// Outputs:
    ///
    /// - `output`: `[batch, 10]`, f32
    #[allow(clippy::let_and_return, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn forward(&self, image: Tensor<B, 4>) -> Tensor<B, 2> {
        let [batch, _, _, _] = image.dims().map(|size| size as i64);
        let norm1_batch_normalization = self.conv1.forward(image);
        let relu = activation::relu(norm1_batch_normalization);
        let conv2_conv = self.conv2.forward(relu);
        let relu_1 = activation::relu(conv2_conv);
        let pool_max_pool = relu_1
            .max_pool(PoolOptions {
                kernel: [2, 2].into(),
                stride: [2, 2].into(),
                padding: [0, 0].into(),
                dilation: [1, 1].into(),
            });
        let flatten = pool_max_pool.reshape([batch, 72]);
        let fc1_gemm = self.fc1.forward(flatten);
        let mul_1 = activation::gelu(fc1_gemm);
        let fc2_gemm = self.fc2.forward(mul_1);
        let output = activation::log_softmax(fc2_gemm, 1);
        output
    }
}
