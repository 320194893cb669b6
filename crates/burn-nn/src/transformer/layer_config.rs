use super::{FeedForwardActivation, PositionWiseFeedForward, PositionWiseFeedForwardConfig};
use crate::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
use crate::size_limits::check_layer_count;
use crate::{Initializer, LayerNorm, LayerNormConfig};
use burn_core::config::{ConfigError, FieldCheck};
use burn_core::tensor::Backend;

/// Options that encoder and decoder layers share.
#[derive(Debug)]
pub struct LayerConfig<'a> {
    pub d_model: usize,
    pub d_ff: usize,
    pub n_heads: usize,
    pub n_key_value_heads: Option<usize>,
    pub dropout: f64,
    pub norm_first: bool,
    pub layer_norm_eps: f64,
    pub activation: FeedForwardActivation,
    pub gated_feed_forward: bool,
    pub bias: bool,
    pub quiet_softmax: bool,
    pub initializer: &'a Initializer,
}

impl LayerConfig<'_> {
    pub fn validate(&self, check: FieldCheck, n_layers: usize) -> Result<(), ConfigError> {
        self.attention_config().validate(check)?;
        check.elements(&[("d_model", self.d_model), ("d_ff", self.d_ff)])?;
        check_layer_count(check, "n_layers", n_layers)?;
        check.not_negative("layer_norm_eps", self.layer_norm_eps)
    }

    fn attention_config(&self) -> MultiHeadAttentionConfig {
        MultiHeadAttentionConfig::new(self.d_model, self.n_heads)
            .with_n_key_value_heads(self.n_key_value_heads)
            .with_dropout(self.dropout)
            .with_bias(self.bias)
            .with_quiet_softmax(self.quiet_softmax)
            .with_initializer(self.initializer.clone())
    }

    pub fn attention<B: Backend>(&self, device: &B::Device) -> MultiHeadAttention<B> {
        self.attention_config().init(device)
    }

    pub fn feed_forward<B: Backend>(&self, device: &B::Device) -> PositionWiseFeedForward<B> {
        PositionWiseFeedForwardConfig {
            d_model: self.d_model,
            d_ff: self.d_ff,
            dropout: self.dropout,
            activation: self.activation,
            gated: self.gated_feed_forward,
            bias: self.bias,
            initializer: self.initializer.clone(),
        }
        .init(device)
    }

    pub fn norm<B: Backend>(&self, device: &B::Device) -> LayerNorm<B> {
        LayerNormConfig::new(self.d_model).with_epsilon(self.layer_norm_eps).with_bias(self.bias).init(device)
    }
}
