use super::attention_scores::Heads;
use super::cache::Keys;
use super::mask::ScoreSizes;
use super::{Masks, MhaCache, MhaInput, MhaOutput};
use crate::display::one_line;
use crate::{Dropout, DropoutConfig, Initializer, Linear, LinearConfig};
use alloc::format;
use alloc::vec::Vec;
use burn_core::config::{Config, ConfigError, FieldCheck};
use burn_core::module::{Content, DisplaySettings, Module, ModuleDisplay};
use burn_core::tensor::ops::try_in_operation;
use burn_core::tensor::{Backend, Tensor, TensorError};
use burn_derive::fallible;

/// The name of the layer in errors.
const NAME: &str = "multi_head_attention";

/// Options of [`MultiHeadAttention`].
#[derive(Config, Debug)]
pub struct MultiHeadAttentionConfig {
    /// Size of the last dimension of the query and of the output.
    pub d_model: usize,
    /// Number of heads of the query.
    pub n_heads: usize,
    /// Number of heads of key and value, a divisor of `n_heads`; by default `n_heads`. Each of them serves as
    /// many query heads in a row (grouped-query attention), all of them if it is 1 (multi-query attention).
    #[config(default = "None")]
    pub n_key_value_heads: Option<usize>,
    /// Size of a head; by default `d_model / n_heads`.
    #[config(default = "None")]
    pub d_head: Option<usize>,
    /// Size of the last dimension of the key; by default `d_model`. PyTorch: `kdim`.
    #[config(default = "None")]
    pub d_key: Option<usize>,
    /// Size of the last dimension of the value; by default `d_model`. PyTorch: `vdim`.
    #[config(default = "None")]
    pub d_value: Option<usize>,
    /// Dropout probability of the attention weights.
    #[config(default = 0.1)]
    pub dropout: f64,
    /// Whether the four projections have a learnable bias.
    #[config(default = true)]
    pub bias: bool,
    /// Whether the softmax is `exp(x) / (1 + sum(exp(x)))`, with which a head can attend to nothing (Miller,
    /// "Attention is off by one", 2023). PyTorch: `add_zero_attn`, a key and a value of zeros that all
    /// queries see.
    #[config(default = false)]
    pub quiet_softmax: bool,
    /// Initializer of the projections.
    #[config(default = "Initializer::TORCH")]
    pub initializer: Initializer,
}

#[fallible(config)]
impl MultiHeadAttentionConfig {
    /// Returns the layer, on `device`.
    ///
    /// # Errors
    /// A field is out of its range; the error names the field and its value.
    pub fn try_init<B: Backend>(&self, device: &B::Device) -> Result<MultiHeadAttention<B>, ConfigError> {
        self.validate(FieldCheck::of("MultiHeadAttentionConfig"))?;
        let (d_model, n_heads) = (self.d_model, self.n_heads);
        let n_key_value_heads = self.n_key_value_heads.unwrap_or(n_heads);
        let d_head = self.d_head.unwrap_or(d_model / n_heads);
        let linear = |inputs: usize, outputs: usize| {
            LinearConfig::new(inputs, outputs)
                .with_bias(self.bias)
                .with_initializer(self.initializer.clone())
                .init(device)
        };
        Ok(MultiHeadAttention {
            query: linear(d_model, n_heads * d_head),
            key: linear(self.d_key.unwrap_or(d_model), n_key_value_heads * d_head),
            value: linear(self.d_value.unwrap_or(d_model), n_key_value_heads * d_head),
            output: linear(n_heads * d_head, d_model),
            dropout: DropoutConfig::new(self.dropout).init(),
            n_heads,
            n_key_value_heads,
            d_head,
            quiet_softmax: self.quiet_softmax,
        })
    }
}

impl MultiHeadAttentionConfig {
    pub(crate) fn validate(&self, check: FieldCheck) -> Result<(), ConfigError> {
        check.at_least("d_model", self.d_model, 1)?;
        check.at_least("n_heads", self.n_heads, 1)?;
        let divides = self.d_head.is_some() || self.d_model.is_multiple_of(self.n_heads);
        check.ensure(
            divides,
            "n_heads",
            &self.n_heads,
            &format!("a divisor of d_model, {}", self.d_model),
        )?;
        if let Some(heads) = self.n_key_value_heads {
            let divides = heads > 0 && self.n_heads.is_multiple_of(heads);
            check.ensure(
                divides,
                "n_key_value_heads",
                &heads,
                &format!("a divisor of n_heads, {}", self.n_heads),
            )?;
        }
        let heads =
            [("n_heads", self.n_heads), ("d_head", self.d_head.unwrap_or(self.d_model / self.n_heads))];
        for (field, size) in [("d_model", None), ("d_key", self.d_key), ("d_value", self.d_value)] {
            check.elements(&[(field, size.unwrap_or(self.d_model)), heads[0], heads[1]])?;
        }
        let projection = [self.d_model, self.n_heads * heads[1].1];
        check.nested("initializer", self.initializer.validate_for(&projection))?;
        check.probability("dropout", self.dropout)
    }
}

/// Multi-head attention (Vaswani et al. 2017): `concat(head_1, .., head_n) W_o`, where `head_i = softmax(q_i
/// k_i^T / sqrt(d_head) + mask) v_i` of the projections `q = query W_q`, `k = key W_k` and `v = value W_v`.
///
/// With fewer heads of key and value it is grouped-query attention (Ainslie et al. 2023). Scores are computed
/// in tiles and never stored as a whole, except where the weights are asked for or the dropout is active. A
/// query that attends to no key gives the bias of the output projection, not NaN.
///
/// PyTorch: `torch.nn.MultiheadAttention(batch_first=True)`, whose projections of query, key and value are
/// one parameter, `in_proj_weight`.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::Tensor;
///
/// let device = Default::default();
/// let config = MultiHeadAttentionConfig::new(32, 4).with_n_key_value_heads(Some(2));
/// let layer: MultiHeadAttention<NdArray> = config.init(&device);
/// let (x, memory) = (Tensor::ones([2, 5, 32], &device), Tensor::ones([2, 7, 32], &device));
/// let output = layer.forward(MhaInput::new(x, memory.clone(), memory).need_weights());
/// assert_eq!(output.context.dims(), [2, 5, 32]);
/// assert_eq!(output.weights.unwrap().dims(), [2, 4, 5, 7]);
/// ```
#[derive(Module, Debug)]
#[module(custom_display)]
pub struct MultiHeadAttention<B: Backend> {
    /// Projection of the query, `[d_model, n_heads * d_head]`.
    pub query: Linear<B>,
    /// Projection of the key, `[d_key, n_key_value_heads * d_head]`.
    pub key: Linear<B>,
    /// Projection of the value, `[d_value, n_key_value_heads * d_head]`.
    pub value: Linear<B>,
    /// Projection of the heads together, `[n_heads * d_head, d_model]`.
    pub output: Linear<B>,
    /// Dropout of the attention weights.
    pub dropout: Dropout,
    /// Number of heads of the query.
    pub n_heads: usize,
    /// Number of heads of key and value.
    pub n_key_value_heads: usize,
    /// Size of a head.
    pub d_head: usize,
    /// Whether the softmax is `exp(x) / (1 + sum(exp(x)))`.
    pub quiet_softmax: bool,
}

#[fallible(layer)]
impl<B: Backend> MultiHeadAttention<B> {
    /// Applies the layer: query `[batch, queries, d_model]`, key `[batch, keys, d_key]` and value
    /// `[batch, keys, d_value]` to `[batch, queries, d_model]`.
    ///
    /// # Errors
    /// Query, key, value or a mask has another shape.
    pub fn try_forward(&self, input: MhaInput<B>) -> Result<MhaOutput<B>, TensorError> {
        self.attend(input, None)
    }

    /// Applies the layer to the next positions of a sequence: keys and values of earlier calls come from
    /// `cache`, those of this call are added to it. A cross-attention projects key and value in the first
    /// call only.
    ///
    /// # Errors
    /// Query, key, value or a mask has another shape, the batch has another size than the cache, the
    /// positions do not fit its capacity, or the call begins with the positions that are cached, as a growing
    /// prefix does: only new positions are given. The cache is then as it was.
    pub fn try_forward_cache(
        &self,
        input: MhaInput<B>,
        cache: &mut MhaCache<B>,
    ) -> Result<MhaOutput<B>, TensorError> {
        self.attend(input, Some(cache))
    }
}

impl<B: Backend> MultiHeadAttention<B> {
    #[track_caller]
    pub(crate) fn attend(
        &self,
        input: MhaInput<B>,
        cache: Option<&mut MhaCache<B>>,
    ) -> Result<MhaOutput<B>, TensorError> {
        try_in_operation(NAME, || self.attend_inside(input, cache))
    }

    fn attend_inside(
        &self,
        input: MhaInput<B>,
        cache: Option<&mut MhaCache<B>>,
    ) -> Result<MhaOutput<B>, TensorError> {
        let device = input.query.device();
        let fixed = cache.as_deref().and_then(MhaCache::fixed);
        let position = cache.as_deref().map_or(0, MhaCache::position);
        let sizes = self.check(&input, cache.as_deref(), fixed.as_ref())?;
        let MhaInput { query, key, value, masks, rotary, weights, .. } = input;

        let mut query =
            self.query.forward(query).reshape([sizes.batch, sizes.queries, self.n_heads, self.d_head]);
        query = query.swap_dims(1, 2);
        if let Some(rotary) = &rotary {
            query = rotary.try_apply(query, position)?;
        }
        // The key of zeros of a quiet softmax is in front of the others, where positions of a cache do not
        // move it.
        let front = usize::from(self.quiet_softmax);
        let (keys, masks) = match fixed {
            Some(keys) => (keys, masks.with_visible_keys(front)),
            None => {
                let [mut key, value] = [self.key.forward(key), self.value.forward(value)].map(|x| {
                    let [batch, length, _] = x.dims();
                    x.reshape([batch, length, self.n_key_value_heads, self.d_head]).swap_dims(1, 2)
                });
                if let Some(cache) = cache.as_deref() {
                    cache.check_new(NAME, &value)?;
                }
                if let Some(rotary) = &rotary {
                    key = rotary.try_apply(key, position)?;
                }
                self.all_keys(Keys { key, value, pad: None }, masks, cache, front)
            }
        };

        let offset = position + front;
        let sizes = ScoreSizes { keys: sizes.keys + front, ..sizes };
        let heads = Heads { query, key: keys.key, value: keys.value };
        let dropout = self.dropout.prob > 0.0 && self.dropout.training.is_on::<B>(&device);
        let (context, weights) = if weights || dropout {
            let (mask, _) = masks.for_scores(sizes, offset, false, &device);
            let (context, all) = heads.attend_by_weights(mask, &self.dropout);
            (context, weights.then(|| all.narrow(3, front, sizes.keys - front)))
        } else {
            let (mask, causal) = masks.for_scores(sizes, offset, true, &device);
            (heads.attend(mask, causal)?, None)
        };
        let context =
            context.swap_dims(1, 2).reshape([sizes.batch, sizes.queries, self.n_heads * self.d_head]);
        Ok(MhaOutput { context: self.output.forward(context), weights })
    }

    /// The keys of this call with those before them, and the masks of all of them.
    fn all_keys(
        &self,
        mut keys: Keys<B>,
        mut masks: Masks<B>,
        cache: Option<&mut MhaCache<B>>,
        front: usize,
    ) -> (Keys<B>, Masks<B>) {
        match cache {
            Some(cache) if cache.capacity().is_some() => {
                keys.pad = masks.pad.take();
                let keys = cache.extend(keys, front);
                let pad = keys.pad.clone();
                (keys, Masks { pad, ..masks.with_visible_keys(front) })
            }
            cache => {
                if front > 0 {
                    [keys.key, keys.value] = [keys.key, keys.value].map(|x| {
                        let [batch, heads, _, size] = x.dims();
                        let zeros = Tensor::zeros([batch, heads, front, size], (&x.device(), x.dtype()));
                        Tensor::cat(Vec::from([zeros, x]), 2)
                    });
                }
                let keys = match cache {
                    Some(cache) => cache.extend(keys, front),
                    None => keys,
                };
                (keys, masks.with_visible_keys(front))
            }
        }
    }

    /// The sizes of the scores, without the key of a quiet softmax.
    fn check(
        &self,
        input: &MhaInput<B>,
        cache: Option<&MhaCache<B>>,
        fixed: Option<&Keys<B>>,
    ) -> Result<ScoreSizes, TensorError> {
        let (query, key, value) = (input.query.dims(), input.key.dims(), input.value.dims());
        let widths = [&self.query, &self.key, &self.value].map(|linear| linear.weight.dims()[0]);
        check_shapes([query, key, value], widths, fixed.is_none())?;
        let (batch, new) = (query[0], key[1]);
        if let Some(cache) = cache {
            cache.check(NAME, batch, new)?;
        }
        let keys = match fixed {
            Some(fixed) => fixed.key.dims()[2] - usize::from(self.quiet_softmax),
            None => cache.map_or(0, MhaCache::position) + new,
        };
        let sizes = ScoreSizes { batch, heads: self.n_heads, queries: query[1], keys };
        // The padding mask of a call with a growing cache covers the keys of the call.
        let grows = cache.is_some_and(|cache| cache.capacity().is_some());
        let masks = Masks { pad: input.masks.pad.clone().filter(|_| grows), ..Masks::default() };
        masks.check(NAME, ScoreSizes { keys: new, ..sizes })?;
        let masks = Masks { pad: input.masks.pad.clone().filter(|_| !grows), ..input.masks.clone() };
        masks.check(NAME, sizes)?;
        Ok(sizes)
    }
}

/// Whether query, key and value have the sizes of the layer and fit each other. Key and value are not read
/// where they come from a cache.
fn check_shapes(
    [query, key, value]: [[usize; 3]; 3],
    widths: [usize; 3],
    reads: bool,
) -> Result<(), TensorError> {
    let [batch, ..] = query;
    let fail = |message: core::fmt::Arguments<'_>| Err(TensorError::argument(NAME, message));
    let names = ["query", "key", "value"].into_iter().zip([query, key, value]).zip(widths);
    for ((name, dims), width) in names.take(if reads { 3 } else { 1 }) {
        if dims[2] != width {
            return fail(format_args!(
                "wrong last dimension of the {name}; expected [batch, length, {width}], got {dims:?}"
            ));
        }
    }
    if reads && (key[0] != batch || value[0] != batch || value[1] != key[1]) {
        return fail(format_args!(
            "query, key and value do not fit; expected one batch size, and as many values as keys, got {query:?}, \
             {key:?} and {value:?}"
        ));
    }
    Ok(())
}

impl<B: Backend> ModuleDisplay for MultiHeadAttention<B> {
    fn custom_settings(&self) -> Option<DisplaySettings> {
        one_line()
    }
    fn custom_content(&self, content: Content) -> Option<Content> {
        content
            .add("d_model", &self.query.weight.dims()[0])
            .add("n_heads", &self.n_heads)
            .add("n_key_value_heads", &self.n_key_value_heads)
            .add("d_head", &self.d_head)
            .add("dropout", &self.dropout.prob)
            .add("quiet_softmax", &self.quiet_softmax)
            .optional()
    }
}
