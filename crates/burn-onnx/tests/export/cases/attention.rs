//! Attention and transformers.

use super::{C, Case, case, numbers, padding, whole};
use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{
    Embedding, EmbeddingConfig, PositionalEncoding, PositionalEncodingConfig, RotaryEncoding,
    RotaryEncodingConfig,
};
use burn::tensor::{Backend, Bool, Int, Tensor};
use burn_onnx::export::OnnxExport;

#[derive(Module, Debug)]
struct Encoder<B: Backend> {
    tokens: Embedding<B>,
    positions: PositionalEncoding<B>,
    encoder: TransformerEncoder<B>,
}

impl<B: Backend> Encoder<B> {
    fn new(device: &B::Device) -> Self {
        Encoder {
            tokens: EmbeddingConfig::new(30, 8).init(device),
            positions: PositionalEncodingConfig::new(8).with_max_sequence_size(16).init(device),
            encoder: TransformerEncoderConfig::new(8, 16, 2, 2).with_norm_first(true).init(device),
        }
    }

    fn forward(&self, tokens: Tensor<B, 2, Int>, pad: Tensor<B, 2, Bool>) -> Tensor<B, 3> {
        let x = self.positions.forward(self.tokens.forward(tokens));
        self.encoder.forward(TransformerEncoderInput::new(x).mask_pad(pad))
    }
}

#[derive(Module, Debug)]
struct Causal<B: Backend> {
    attention: MultiHeadAttention<B>,
    rotary: RotaryEncoding<B>,
}

pub fn cases() -> Vec<Case> {
    let device = Default::default();
    let tokens = OnnxExport::new()
        .inputs(["tokens", "pad"])
        .outputs(["hidden"])
        .dynamic("tokens", 0, "batch")
        .dynamic("tokens", 1, "length")
        .dynamic("pad", 0, "batch")
        .dynamic("pad", 1, "length");
    let input = |batch, length| (whole([batch, length], 30), padding(batch, length));
    let grouped = MultiHeadAttentionConfig::new(16, 4).with_n_key_value_heads(Some(2)).init(&device);
    let causal = Causal::<C> { attention: grouped, rotary: RotaryEncodingConfig::new(12, 4).init(&device) };
    let lengths = OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch").dynamic("x", 1, "length");
    let attention: MultiHeadAttention<C> = MultiHeadAttentionConfig::new(8, 2).init(&device);
    vec![
        case(
            "encoder",
            tokens,
            &Encoder::<C>::new(&device),
            vec![input(2, 6), input(3, 9), input(5, 4)],
            |encoder, (tokens, pad)| encoder.forward(tokens, pad),
        ),
        case(
            "causal",
            lengths.clone(),
            &causal,
            vec![numbers([2, 5, 16]), numbers([3, 7, 16])],
            |causal, x| {
                let input = MhaInput::self_attn(x).causal().rotary(&causal.rotary);
                causal.attention.forward(input).context
            },
        ),
        case("weights", lengths, &attention, vec![numbers([2, 5, 8]), numbers([1, 3, 8])], |attention, x| {
            let output = attention.forward(MhaInput::self_attn(x).need_weights());
            (output.context, output.weights.expect("asked for"))
        }),
    ]
}
