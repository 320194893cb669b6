use burn::config::Config;
use burn::module::Module;
use burn::nn::transformer::{
    FeedForwardActivation, TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput,
};
use burn::nn::{Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig};
use burn::tensor::{Backend, Bool, Int, Tensor};

/// Settings of a BERT, under the names of `config.json`.
#[derive(Config, Debug)]
pub struct BertConfig {
    /// Vocabulary size.
    pub vocab_size: usize,
    /// Embedding dimension.
    pub hidden_size: usize,
    /// Number of layers.
    pub num_hidden_layers: usize,
    /// Number of attention heads.
    pub num_attention_heads: usize,
    /// Size of the hidden layer of the feed-forward networks.
    pub intermediate_size: usize,
    /// The longest sequence.
    pub max_position_embeddings: usize,
    /// Number of token types.
    pub type_vocab_size: usize,
    /// Epsilon of the layer norms.
    pub layer_norm_eps: f64,
}

/// The encoder of Devlin et al. 2019.
#[derive(Module, Debug)]
pub struct Bert<B: Backend> {
    /// Embeddings of tokens, positions and token types.
    pub embeddings: BertEmbeddings<B>,
    /// Layers of self-attention.
    pub encoder: TransformerEncoder<B>,
}

/// The sum of the embeddings of a token, its position and its type, normalized.
#[derive(Module, Debug)]
pub struct BertEmbeddings<B: Backend> {
    /// Embeddings of tokens.
    pub word: Embedding<B>,
    /// Embeddings of positions.
    pub position: Embedding<B>,
    /// Embeddings of token types.
    pub token_type: Embedding<B>,
    /// Norm of the sum.
    pub norm: LayerNorm<B>,
}

impl BertConfig {
    /// Returns the encoder, on `device`.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Bert<B> {
        let size = self.hidden_size;
        let encoder = TransformerEncoderConfig::new(
            size,
            self.intermediate_size,
            self.num_attention_heads,
            self.num_hidden_layers,
        );
        Bert {
            embeddings: BertEmbeddings {
                word: EmbeddingConfig::new(self.vocab_size, size).init(device),
                position: EmbeddingConfig::new(self.max_position_embeddings, size).init(device),
                token_type: EmbeddingConfig::new(self.type_vocab_size, size).init(device),
                norm: LayerNormConfig::new(size).with_epsilon(self.layer_norm_eps).init(device),
            },
            encoder: encoder
                .with_activation(FeedForwardActivation::Gelu)
                .with_layer_norm_eps(self.layer_norm_eps)
                .with_dropout(0.0)
                .init(device),
        }
    }
}

impl<B: Backend> Bert<B> {
    /// Computes the hidden states, `[batch, length, hidden_size]`, of tokens, `[batch, length]`; `padding` is
    /// true where a sequence has ended.
    pub fn forward(&self, tokens: Tensor<B, 2, Int>, padding: Tensor<B, 2, Bool>) -> Tensor<B, 3> {
        let x = self.embeddings.forward(tokens);
        self.encoder.forward(TransformerEncoderInput::new(x).mask_pad(padding))
    }
}

impl<B: Backend> BertEmbeddings<B> {
    fn forward(&self, tokens: Tensor<B, 2, Int>) -> Tensor<B, 3> {
        let ([_, length], device) = (tokens.dims(), tokens.device());
        let positions = Tensor::<B, 1, Int>::arange(0..length as i64, &device).reshape([1, length]);
        let token_type = self.token_type.forward(Tensor::zeros([1, 1], &device));
        let x = self.word.forward(tokens) + self.position.forward(positions) + token_type;
        self.norm.forward(x)
    }
}
