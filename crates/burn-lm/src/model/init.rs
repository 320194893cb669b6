use super::attention::AttentionSettings;
use super::{CausalAttention, DecoderBlock, FeedForward, LanguageModel};
use crate::LmError;
use crate::config::{BlockLayout, LanguageModelConfig, NormKind};
use burn_core::module::{Ignored, Initializer};
use burn_core::tensor::Backend;
use burn_nn::{
    Dropout, DropoutConfig, Embedding, EmbeddingConfig, LayerNormConfig, Linear, LinearConfig, Normalization,
    NormalizationConfig, RmsNormConfig,
};

/// A projection of the model, by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectionKind {
    Query,
    Key,
    Value,
    AttentionOutput,
    Gate,
    Up,
    Down,
    Head,
}

/// A norm of the model, by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormRole {
    Attention,
    Query,
    Key,
    AttentionPost,
    FeedForward,
    FeedForwardPost,
    Output,
}

/// Makes the layers of a model: with random weights, or with those of a file.
pub trait LayerSource<B: Backend> {
    /// A projection of block `layer`, `[d_input, d_output]`.
    fn projection(
        &mut self,
        layer: usize,
        kind: ProjectionKind,
        sizes: [usize; 2],
        bias: bool,
    ) -> Result<Linear<B>, LmError>;
    /// A norm of block `layer` over `size` elements.
    fn norm(&mut self, layer: usize, role: NormRole, size: usize) -> Result<Normalization<B>, LmError>;
    /// The embeddings of the tokens, or of the positions, `[count, d_model]`.
    fn embedding(&mut self, positions: bool, sizes: [usize; 2]) -> Result<Embedding<B>, LmError>;
}

impl LanguageModelConfig {
    /// Returns a model with random weights for training: normal with a standard deviation of 0.02, and that
    /// divided by `sqrt(2 n_layers)` for the projections that add to the residual stream, as in GPT-2.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn init<B: Backend>(&self, device: &B::Device) -> Result<LanguageModel<B>, LmError> {
        self.validate("LanguageModelConfig")?;
        self.build(&mut RandomLayers { config: self, device: device.clone() })
    }

    pub(crate) fn build<B: Backend>(
        &self,
        source: &mut dyn LayerSource<B>,
    ) -> Result<LanguageModel<B>, LmError> {
        let embedding = source.embedding(false, [self.vocabulary_size, self.d_model])?;
        let positions = match self.learned_positions {
            true => Some(source.embedding(true, [self.context_length, self.d_model])?),
            false => None,
        };
        let blocks = (0..self.n_layers).map(|layer| self.block(layer, source)).collect::<Result<_, _>>()?;
        let norm = source.norm(0, NormRole::Output, self.d_model)?;
        let sizes = [self.d_model, self.vocabulary_size];
        let head = match self.tied_embeddings {
            true => None,
            false => Some(source.projection(0, ProjectionKind::Head, sizes, self.head_bias)?),
        };
        let dropout = self.dropout_layer();
        Ok(LanguageModel { embedding, positions, dropout, blocks, norm, head, config: Ignored(self.clone()) })
    }

    fn dropout_layer(&self) -> Dropout {
        DropoutConfig::new(self.dropout).init()
    }

    fn block<B: Backend>(
        &self,
        layer: usize,
        source: &mut dyn LayerSource<B>,
    ) -> Result<DecoderBlock<B>, LmError> {
        let d_model = self.d_model;
        let attention_norm = source.norm(layer, NormRole::Attention, d_model)?;
        let attention = self.attention(layer, source)?;
        let mut optional = |needed: bool, role| match needed {
            true => source.norm(layer, role, d_model).map(Some),
            false => Ok(None),
        };
        let post = self.layout == BlockLayout::PostNorm;
        let attention_post_norm = optional(post, NormRole::AttentionPost)?;
        let feed_forward_norm = optional(self.layout != BlockLayout::Parallel, NormRole::FeedForward)?;
        let feed_forward_post_norm = optional(post, NormRole::FeedForwardPost)?;
        let mut linear = |kind, sizes| source.projection(layer, kind, sizes, self.feed_forward_bias);
        let feed_forward = FeedForward {
            gate: match self.gated {
                true => Some(linear(ProjectionKind::Gate, [d_model, self.d_ff])?),
                false => None,
            },
            up: linear(ProjectionKind::Up, [d_model, self.d_ff])?,
            down: linear(ProjectionKind::Down, [self.d_ff, d_model])?,
            activation: Ignored(self.activation),
        };
        Ok(DecoderBlock {
            attention_norm,
            attention,
            attention_post_norm,
            feed_forward_norm,
            feed_forward,
            feed_forward_post_norm,
            dropout: self.dropout_layer(),
            layout: Ignored(self.layout),
        })
    }

    fn attention<B: Backend>(
        &self,
        layer: usize,
        source: &mut dyn LayerSource<B>,
    ) -> Result<CausalAttention<B>, LmError> {
        let (d_head, n_key_value_heads) = (self.head_size(), self.key_value_heads());
        let (queries, keys) = (self.n_heads * d_head, n_key_value_heads * d_head);
        let mut linear = |kind, sizes, bias| source.projection(layer, kind, sizes, bias);
        let query = linear(ProjectionKind::Query, [self.d_model, queries], self.attention_bias)?;
        let key = linear(ProjectionKind::Key, [self.d_model, keys], self.attention_bias)?;
        let value = linear(ProjectionKind::Value, [self.d_model, keys], self.attention_bias)?;
        let output = linear(ProjectionKind::AttentionOutput, [queries, self.d_model], self.output_bias)?;
        let mut norm = |role| match self.qk_norm {
            true => source.norm(layer, role, d_head).map(Some),
            false => Ok(None),
        };
        let (query_norm, key_norm) = (norm(NormRole::Query)?, norm(NormRole::Key)?);
        let settings = AttentionSettings {
            layer,
            n_heads: self.n_heads,
            n_key_value_heads,
            d_head,
            scale: self.attention_scale.unwrap_or(1.0 / (d_head as f64).sqrt()),
            soft_cap: self.attention_soft_cap,
            window: self.window(layer),
            has_rope: !self.layers_without_rope.contains(&layer),
        };
        Ok(CausalAttention { query, key, value, output, query_norm, key_norm, options: Ignored(settings) })
    }

    /// The norm of `size` elements of this model, with a scale of one.
    pub(crate) fn norm_layer<B: Backend>(&self, size: usize, device: &B::Device) -> Normalization<B> {
        let config = match self.norm {
            NormKind::Rms => {
                NormalizationConfig::Rms(RmsNormConfig::new(size).with_epsilon(self.norm_epsilon))
            }
            NormKind::Layer => {
                NormalizationConfig::Layer(LayerNormConfig::new(size).with_epsilon(self.norm_epsilon))
            }
        };
        config.init(device)
    }
}

struct RandomLayers<'a, B: Backend> {
    config: &'a LanguageModelConfig,
    device: B::Device,
}

impl<B: Backend> LayerSource<B> for RandomLayers<'_, B> {
    fn projection(
        &mut self,
        _layer: usize,
        kind: ProjectionKind,
        [d_input, d_output]: [usize; 2],
        bias: bool,
    ) -> Result<Linear<B>, LmError> {
        let residual = matches!(kind, ProjectionKind::AttentionOutput | ProjectionKind::Down);
        let std = if residual { 0.02 / (2.0 * self.config.n_layers as f64).sqrt() } else { 0.02 };
        let config = LinearConfig::new(d_input, d_output).with_bias(false);
        let mut linear = config.with_initializer(Initializer::Normal { mean: 0.0, std }).init(&self.device);
        linear.bias = bias.then(|| Initializer::Zeros.init([d_output], &self.device));
        Ok(linear)
    }

    fn norm(&mut self, _layer: usize, _role: NormRole, size: usize) -> Result<Normalization<B>, LmError> {
        Ok(self.config.norm_layer(size, &self.device))
    }

    fn embedding(&mut self, _positions: bool, [count, d_model]: [usize; 2]) -> Result<Embedding<B>, LmError> {
        let initializer = Initializer::Normal { mean: 0.0, std: 0.02 };
        Ok(EmbeddingConfig::new(count, d_model).with_initializer(initializer).init(&self.device))
    }
}
