//! Linear layers, embeddings and norms.

use super::{C, Case, case, numbers, whole};
use burn::module::Module;
use burn::module::{MinMaxCalibration, Quantizer};
use burn::nn::{
    Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::tensor::quantization::{QuantizationScheme, QuantizationType};
use burn::tensor::{Backend, Int, Tensor, activation};
use burn_onnx::export::OnnxExport;

#[derive(Module, Debug)]
pub struct Mlp<B: Backend> {
    pub first: Linear<B>,
    pub second: Linear<B>,
}

impl<B: Backend> Mlp<B> {
    pub fn new(device: &B::Device) -> Self {
        Mlp { first: LinearConfig::new(3, 8).init(device), second: LinearConfig::new(8, 4).init(device) }
    }

    pub fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        activation::softmax(self.second.forward(activation::relu(self.first.forward(x))), 1)
    }
}

#[derive(Module, Debug)]
struct Words<B: Backend> {
    words: Embedding<B>,
    norm: LayerNorm<B>,
    rms: RmsNorm<B>,
    head: Linear<B>,
}

impl<B: Backend> Words<B> {
    fn forward(&self, words: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        let x = self.norm.forward(self.words.forward(words));
        activation::log_softmax(self.head.forward(activation::gelu(self.rms.forward(x))), 2)
    }
}

pub fn cases() -> Vec<Case> {
    let device = Default::default();
    let mlp = Mlp::<C>::new(&device);
    let dynamic = OnnxExport::new().inputs(["x"]).outputs(["y"]).dynamic("x", 0, "batch");
    let words = Words::<C> {
        words: EmbeddingConfig::new(20, 6).init(&device),
        norm: LayerNormConfig::new(6).init(&device),
        rms: RmsNormConfig::new(6).init(&device),
        head: LinearConfig::new(6, 20).with_bias(false).init(&device),
    };
    let both = OnnxExport::new().inputs(["words"]).dynamic("words", 0, "batch").dynamic("words", 1, "length");
    let scheme = QuantizationScheme::PerTensorSymmetric(QuantizationType::QInt8);
    let quantized = |scheme| {
        let mut quantizer = Quantizer { calibration: MinMaxCalibration {}, scheme };
        Mlp::<C>::new(&device).quantize_weights(&mut quantizer)
    };
    let four_bits = QuantizationScheme::PerTensorAffine(QuantizationType::QInt4).per_block(4);
    let forward = |mlp: &Mlp<C>, x| mlp.forward(x);
    vec![
        case("mlp", OnnxExport::new(), &mlp, vec![numbers([2, 3])], forward),
        case("mlp_batch", dynamic.clone(), &mlp, vec![numbers([1, 3]), numbers([7, 3])], forward),
        case(
            "words",
            both,
            &words,
            vec![whole([2, 5], 20), whole([3, 8], 20), whole([1, 1], 20)],
            |words, x| words.forward(x),
        ),
        case(
            "quantized",
            dynamic.clone(),
            &quantized(scheme.per_channel(1)),
            vec![numbers([2, 3]), numbers([5, 3])],
            forward,
        ),
        case(
            "quantized_blocks",
            dynamic,
            &quantized(four_bits),
            vec![numbers([2, 3]), numbers([5, 3])],
            forward,
        ),
    ]
}
