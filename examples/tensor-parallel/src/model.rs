use burn::collective::{
    CollectiveError, ColumnParallelLinear, Communicator, ParallelCrossEntropy, ParallelEmbedding,
    ParallelMultiHeadAttention, RowParallelLinear,
};
use burn::config::Config;
use burn::module::Module;
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{Embedding, EmbeddingConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, activation};

/// Options of a [`Transformer`].
#[derive(Config, Debug)]
pub struct TransformerConfig {
    /// Vocabulary size.
    pub vocabulary: usize,
    /// Longest sequence.
    pub length: usize,
    /// Embedding dimension.
    #[config(default = 32)]
    pub d_model: usize,
    /// Number of heads, which the number of ranks divides.
    #[config(default = 4)]
    pub heads: usize,
    /// Number of layers.
    #[config(default = 2)]
    pub layers: usize,
}

/// The whole model, as one device has it.
#[derive(Module, Debug)]
pub struct Transformer<B: Backend> {
    embedding: Embedding<B>,
    positions: Embedding<B>,
    layers: Vec<Layer<B>>,
    norm: LayerNorm<B>,
    head: Linear<B>,
}

#[derive(Module, Debug)]
struct Layer<B: Backend> {
    attention_norm: LayerNorm<B>,
    attention: MultiHeadAttention<B>,
    feed_forward_norm: LayerNorm<B>,
    up: Linear<B>,
    down: Linear<B>,
}

impl TransformerConfig {
    /// Returns the whole model.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Transformer<B> {
        let d_model = self.d_model;
        let norm = || LayerNormConfig::new(d_model).init(device);
        let attention = MultiHeadAttentionConfig::new(d_model, self.heads).with_dropout(0.0);
        let layer = |_| Layer {
            attention_norm: norm(),
            attention: attention.init(device),
            feed_forward_norm: norm(),
            up: LinearConfig::new(d_model, 4 * d_model).init(device),
            down: LinearConfig::new(4 * d_model, d_model).init(device),
        };
        Transformer {
            embedding: EmbeddingConfig::new(self.vocabulary, d_model).init(device),
            positions: EmbeddingConfig::new(self.length, d_model).init(device),
            layers: (0..self.layers).map(layer).collect(),
            norm: norm(),
            head: LinearConfig::new(d_model, self.vocabulary).with_bias(false).init(device),
        }
    }
}

// ANCHOR: model
/// The part of the model that one rank has. Norms and positions are small, and every rank has them.
#[derive(Module, Debug)]
pub struct SplitTransformer<B: Backend> {
    embedding: ParallelEmbedding<B>,
    positions: Embedding<B>,
    layers: Vec<SplitLayer<B>>,
    norm: LayerNorm<B>,
    head: ColumnParallelLinear<B>,
}

#[derive(Module, Debug)]
struct SplitLayer<B: Backend> {
    attention_norm: LayerNorm<B>,
    attention: ParallelMultiHeadAttention<B>,
    feed_forward_norm: LayerNorm<B>,
    up: ColumnParallelLinear<B>,
    down: RowParallelLinear<B>,
}

impl<B: Backend> SplitLayer<B> {
    fn new(layer: Layer<B>, tensor: &Communicator) -> Result<Self, CollectiveError> {
        Ok(SplitLayer {
            attention_norm: layer.attention_norm,
            attention: ParallelMultiHeadAttention::from_attention(layer.attention, tensor)?,
            feed_forward_norm: layer.feed_forward_norm,
            up: ColumnParallelLinear::from_linear(layer.up, tensor)?,
            down: RowParallelLinear::from_linear(layer.down, tensor)?,
        })
    }

    /// Two sums over ranks: after the heads, and after the hidden features.
    fn forward(&self, x: Tensor<B, 3>) -> Result<Tensor<B, 3>, CollectiveError> {
        let heads = MhaInput::self_attn(self.attention_norm.forward(x.clone())).causal();
        let x = x + self.attention.try_forward(heads)?.context;
        let hidden = self.up.try_forward(self.feed_forward_norm.forward(x.clone()))?;
        Ok(x + self.down.try_forward(activation::gelu(hidden))?)
    }
}
// ANCHOR_END: model

impl<B: Backend> SplitTransformer<B> {
    /// Splits a model, which is the same on all ranks of `tensor`.
    pub fn new(whole: Transformer<B>, tensor: &Communicator) -> Result<Self, CollectiveError> {
        let layers = whole.layers.into_iter().map(|layer| SplitLayer::new(layer, tensor));
        Ok(SplitTransformer {
            embedding: ParallelEmbedding::from_embedding(whole.embedding, tensor)?,
            positions: whole.positions,
            layers: layers.collect::<Result<_, _>>()?,
            norm: whole.norm,
            head: ColumnParallelLinear::from_linear(whole.head, tensor)?,
        })
    }

    /// Returns the mean cross entropy of the next tokens: `[batch, length]` and, flat, the tokens after them.
    pub fn loss(
        &self,
        tokens: Tensor<B, 2, Int>,
        targets: Tensor<B, 1, Int>,
        tensor: &Communicator,
    ) -> Result<Tensor<B, 1>, CollectiveError> {
        let ([batch, length], device) = (tokens.dims(), tokens.device());
        let positions = Tensor::<B, 1, Int>::arange(0..length as i64, &device).reshape([1, length]);
        let x = self.embedding.try_forward(tokens)? + self.positions.forward(positions);
        let x = self.layers.iter().try_fold(x, |x, layer| layer.forward(x))?;
        // The logits of the tokens of this rank; the loss needs no others.
        let logits = self.head.try_forward(self.norm.forward(x))?;
        let [_, _, vocabulary] = logits.dims();
        let loss = CrossEntropyLossConfig::new().init::<B>(&device);
        let loss = ParallelCrossEntropy::from_cross_entropy(&loss, tensor)?;
        loss.try_forward(logits.reshape([batch * length, vocabulary]), targets)
    }
}
