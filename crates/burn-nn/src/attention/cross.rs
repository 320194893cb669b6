use super::{MhaCache, MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use crate::Initializer;
use crate::display::one_line;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Bool, Tensor, TensorError};
use burn_derive::fallible;

/// The name of the layer in errors.
const NAME: &str = "cross_attention";

/// Options of [`CrossAttention`].
#[derive(Config, Debug)]
pub struct CrossAttentionConfig {
    /// Size of the last dimension of the query and of the output.
    pub d_model: usize,
    /// Size of the last dimension of the context.
    pub d_context: usize,
    /// Number of heads of the query.
    pub n_heads: usize,
    /// Number of heads of key and value, a divisor of `n_heads`; by default `n_heads`.
    #[config(default = "None")]
    pub n_key_value_heads: Option<usize>,
    /// Size of a head; by default `d_model / n_heads`.
    #[config(default = "None")]
    pub d_head: Option<usize>,
    /// Dropout probability of the attention weights.
    #[config(default = 0.1)]
    pub dropout: f64,
    /// Whether the four projections have a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Whether the softmax is `exp(x) / (1 + sum(exp(x)))`.
    #[config(default = false)]
    pub quiet_softmax: bool,
    /// Initializer of the projections.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl CrossAttentionConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<CrossAttention<B>, ConfigError> {
        let check = FieldCheck::of("CrossAttentionConfig");
        check.at_least("d_context", self.d_context, 1)?;
        let attention = MultiHeadAttentionConfig {
            d_model: self.d_model,
            n_heads: self.n_heads,
            n_key_value_heads: self.n_key_value_heads,
            d_head: self.d_head,
            d_key: Some(self.d_context),
            d_value: Some(self.d_context),
            dropout: self.dropout,
            bias: self.bias,
            quiet_softmax: self.quiet_softmax,
            initializer: self.initializer.clone(),
        };
        let heads = [("n_heads", self.n_heads), ("d_head", self.d_head.unwrap_or(1))];
        check.elements(&[("d_context", self.d_context), heads[0], heads[1]])?;
        check.elements(&[("d_context", self.d_context), ("d_model", self.d_model)])?;
        attention.validate(check)?;
        Ok(CrossAttention { attention: attention.init(device) })
    }
}

/// Cross-attention: [`MultiHeadAttention`] whose keys and values come from a context, such as the output of
/// an encoder or the tokens of a prompt.
///
/// PyTorch: `torch.nn.MultiheadAttention(d_model, n_heads, kdim=d_context, vdim=d_context,
/// batch_first=True)`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::attention::{CrossAttention, CrossAttentionConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let layer: CrossAttention<NdArray> = CrossAttentionConfig::new(32, 48, 4).init(&device);
/// let (x, context) = (Tensor::ones([2, 5, 32], &device), Tensor::ones([2, 7, 48], &device));
/// assert_eq!(layer.forward(x, context, None).dims(), [2, 5, 32]);
/// ```
#[doc(alias = "MultiheadAttention")]
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct CrossAttention<B: Backend> {
    /// The attention of the query to the context.
    pub attention: MultiHeadAttention<B>,
}

#[fallible(layer)]
impl<B: Backend> CrossAttention<B> {
    /// Applies the layer: query `[batch, queries, d_model]` and context `[batch, keys, d_context]` to
    /// `[batch, queries, d_model]`. The padding mask is `[batch, keys]`, `true` where the context is padding.
    ///
    /// # Errors
    /// Query, context or mask has another shape.
    pub fn try_forward(
        &self,
        query: Tensor<B, 3>,
        context: Tensor<B, 3>,
        mask_pad: Option<Tensor<B, 2, Bool>>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        let input = input(query, context, mask_pad);
        try_in_operation(NAME, || Ok(self.attention.attend(input, None)?.context))
    }

    /// Applies the layer as [`forward`](Self::forward); the first call keeps the projections of its context
    /// in `cache`, later calls read these and not their own context.
    ///
    /// # Errors
    /// Query, context or mask has another shape, or the batch has another size than the cache.
    pub fn try_forward_cache(
        &self,
        query: Tensor<B, 3>,
        context: Tensor<B, 3>,
        mask_pad: Option<Tensor<B, 2, Bool>>,
        cache: &mut MhaCache<B>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        let input = input(query, context, mask_pad);
        try_in_operation(NAME, || Ok(self.attention.attend(input, Some(cache))?.context))
    }
}

impl<B: Backend> CrossAttention<B> {
    /// Returns an empty cache for [`forward_cache`](Self::forward_cache).
    pub fn new_cache(&self) -> MhaCache<B> {
        MhaCache::autoregressive_cross_attention()
    }
}

fn input<B: Backend>(
    query: Tensor<B, 3>,
    context: Tensor<B, 3>,
    mask_pad: Option<Tensor<B, 2, Bool>>,
) -> MhaInput<B> {
    let mut input = MhaInput::new(query, context.clone(), context);
    input.masks.pad = mask_pad;
    input
}

impl<B: Backend> ModuleDisplay for CrossAttention<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        let attention = &self.attention;
        content
            .add("d_model", &attention.query.weight.dims()[0])
            .add("d_context", &attention.key.weight.dims()[0])
            .add("n_heads", &attention.n_heads)
            .add("n_key_value_heads", &attention.n_key_value_heads)
            .add("d_head", &attention.d_head)
            .add("dropout", &attention.dropout.prob)
            .add("quiet_softmax", &attention.quiet_softmax)
            .optional()
    }
}
