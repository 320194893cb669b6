use super::fixed_keys::FixedKeys;
use super::paged_attention::{KeyRun, ScoreOptions, paged_attention};
use super::rotary::RotaryRows;
use crate::LmError;
use crate::cache::{KvCache, Segment, StepPlan, StoredRows};
use burn_core::module::{Ignored, Module};
use burn_core::tensor::{Backend, Bool, Tensor};
use burn_nn::{Linear, Normalization};

/// Causal self-attention with grouped queries, rotary positions and an optional sliding window.
#[derive(Module, Debug)]
pub struct CausalAttention<B: Backend> {
    /// Projection of the query, `[d_model, n_heads d_head]`.
    pub query: Linear<B>,
    /// Projection of the key, `[d_model, n_key_value_heads d_head]`.
    pub key: Linear<B>,
    /// Projection of the value, `[d_model, n_key_value_heads d_head]`.
    pub value: Linear<B>,
    /// Projection of the output, `[n_heads d_head, d_model]`.
    pub output: Linear<B>,
    /// Norm of each head of the query.
    pub query_norm: Option<Normalization<B>>,
    /// Norm of each head of the key.
    pub key_norm: Option<Normalization<B>>,
    pub(crate) options: Ignored<AttentionSettings>,
}

/// Head counts, scale, window and other options of the attention of one layer.
#[derive(Clone, Debug)]
pub struct AttentionSettings {
    pub layer: usize,
    pub n_heads: usize,
    pub n_key_value_heads: usize,
    pub d_head: usize,
    pub scale: f64,
    pub soft_cap: Option<f64>,
    pub window: Option<usize>,
    pub has_rope: bool,
}

/// Rows of a call without cache: `batch` sequences of `length` rows, one after the other.
#[derive(Clone, Debug)]
pub struct DenseShape<B: Backend> {
    pub batch: usize,
    pub length: usize,
    /// The mask of layers with a sliding window, where that hides anything.
    pub window_mask: Option<Tensor<B, 4, Bool>>,
}

/// Where the keys and values of earlier positions are.
pub enum KeySource<'a, B: Backend> {
    /// All positions are in the call.
    Dense(&'a DenseShape<B>),
    /// The cache has them, and takes those of the call.
    Cached(&'a mut KvCache<B>, &'a StepPlan<B>),
    /// As `Cached`, with shapes that stay the same from step to step.
    Fixed(&'a mut FixedKeys<B>),
}

impl<B: Backend> CausalAttention<B> {
    /// `[rows, d_model]` to `[rows, d_model]`.
    pub(crate) fn forward(
        &self,
        x: Tensor<B, 2>,
        rotary: Option<&RotaryRows<B>>,
        keys: &mut KeySource<'_, B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let AttentionSettings { n_heads, n_key_value_heads, d_head, .. } = *self.options;
        let [rows, _] = x.dims();
        let heads =
            |linear: &Linear<B>, count: usize, x| linear.forward::<2>(x).reshape([rows, count, d_head]);
        let normed = |norm: &Option<Normalization<B>>, x: Tensor<B, 3>| match norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        let mut query = normed(&self.query_norm, heads(&self.query, n_heads, x.clone()));
        let mut key = normed(&self.key_norm, heads(&self.key, n_key_value_heads, x.clone()));
        let mut value = heads(&self.value, n_key_value_heads, x);
        if let (KeySource::Fixed(keys), Some(rotary)) =
            (&mut *keys, rotary.filter(|_| self.has_cached_step()))
        {
            let AttentionSettings { layer, window, scale, .. } = *self.options;
            match keys.attend((layer, window.is_some(), scale), [query, key, value], rotary) {
                Ok(context) => return Ok(self.output.forward(context.reshape([rows, n_heads * d_head]))),
                Err(operands) => [query, key, value] = operands,
            }
        }
        if let Some(rotary) = rotary.filter(|_| self.options.has_rope) {
            (query, key) = (rotary.rotate(query), rotary.rotate(key));
        }
        let context = match keys {
            KeySource::Dense(shape) => self.dense([query, key, value], shape)?,
            KeySource::Cached(cache, plan) => self.cached([query, key, value], cache, plan)?,
            KeySource::Fixed(keys) => self.fixed([query, key, value], keys)?,
        };
        Ok(self.output.forward(context))
    }

    /// Whether a step of one token of each sequence can be attention with a cache.
    fn has_cached_step(&self) -> bool {
        self.options.has_rope && self.options.soft_cap.is_none()
    }

    fn dense(&self, heads: [Tensor<B, 3>; 3], shape: &DenseShape<B>) -> Result<Tensor<B, 2>, LmError> {
        let DenseShape { batch, length, .. } = *shape;
        let heads = heads.map(|x| {
            let [_, heads, size] = x.dims();
            x.reshape([batch, length, heads, size]).swap_dims(1, 2)
        });
        let mask = shape.window_mask.clone().filter(|_| self.options.window.is_some());
        let causal = mask.is_none();
        let [query, key, value] = heads;
        let [key, value] = [key, value].map(|x| StoredRows { numbers: x.into_handle(), scale: None });
        let context = self.attend(query, vec![KeyRun { key, value, blind: None }], mask, causal)?;
        Ok(context.swap_dims(1, 2).reshape([batch * length, self.options.n_heads * self.options.d_head]))
    }

    fn cached(
        &self,
        [query, key, value]: [Tensor<B, 3>; 3],
        cache: &mut KvCache<B>,
        plan: &StepPlan<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let AttentionSettings { layer, n_heads, d_head, .. } = *self.options;
        cache.write(layer, key, value, plan);
        let mut contexts = Vec::with_capacity(plan.segments.len());
        for segment in &plan.segments {
            let Segment { rows, .. } = segment;
            let count = rows.len();
            let query = match plan.segments.len() {
                1 => query.clone(),
                _ => query.clone().narrow(0, rows.start, count),
            };
            let query = query.reshape([1, count, n_heads, d_head]).swap_dims(1, 2);
            let visible = if self.options.window.is_some() { &segment.window } else { &segment.global };
            let runs = cache.read(layer, visible);
            let context = self.attend(query, runs, visible.mask.clone(), visible.causal)?;
            contexts.push(context.swap_dims(1, 2).reshape([count, n_heads * d_head]));
        }
        Ok(match contexts.len() {
            1 => contexts.remove(0),
            _ => Tensor::cat(contexts, 0),
        })
    }

    /// One row for each sequence.
    fn fixed(
        &self,
        [query, key, value]: [Tensor<B, 3>; 3],
        keys: &mut FixedKeys<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let AttentionSettings { layer, n_heads, d_head, window, .. } = *self.options;
        keys.write(layer, key, value);
        let sequences = keys.runs.len();
        if let Some(runs) = keys.read_all(layer) {
            let query = query.reshape([sequences, n_heads, 1, d_head]);
            let context = self.attend(query, vec![runs], keys.masks(window.is_some()), false)?;
            return Ok(context.reshape([sequences, n_heads * d_head]));
        }
        let mut contexts = Vec::with_capacity(sequences);
        for sequence in 0..sequences {
            let own = query.clone().narrow(0, sequence, 1);
            let (run, hidden) = (keys.read(layer, sequence), keys.mask(sequence, window.is_some()));
            let context = self.attend(own.reshape([1, n_heads, 1, d_head]), vec![run], hidden, false)?;
            contexts.push(context.reshape([1, n_heads * d_head]));
        }
        Ok(Tensor::cat(contexts, 0))
    }

    fn attend(
        &self,
        query: Tensor<B, 4>,
        runs: Vec<KeyRun<B>>,
        hidden: Option<Tensor<B, 4, Bool>>,
        causal: bool,
    ) -> Result<Tensor<B, 4>, LmError> {
        let AttentionSettings { scale, soft_cap, .. } = *self.options;
        paged_attention(query, runs, ScoreOptions { hidden, causal, scale, soft_cap })
    }
}
