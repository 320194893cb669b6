use alloc::string::String;
use burn_core::tensor::{Backend, Bool, Int, Tensor, TensorError};

/// Keys and values of earlier positions, for autoregressive decoding.
///
/// The cache of a self-attention has a capacity. Its memory is allocated by the first call; later calls write
/// the new keys and values into it in place, so the cost of a token does not grow by copies of the earlier
/// ones. The cache of a cross-attention holds the keys and values of the first call, which later calls use in
/// place of their own.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::nn::attention::{MhaCache, MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
/// use burn::tensor::Tensor;
///
/// let layer: MultiHeadAttention<NdArray> = MultiHeadAttentionConfig::new(8, 2).init(&Default::default());
/// let mut cache = MhaCache::autoregressive(16);
/// for _token in 0..3 {
///     let x = Tensor::ones([1, 1, 8], &Default::default());
///     assert_eq!(layer.forward_cache(MhaInput::self_attn(x), &mut cache).context.dims(), [1, 1, 8]);
/// }
/// assert_eq!((cache.len(), cache.capacity()), (3, Some(16)));
/// ```
#[derive(Clone, Debug)]
pub struct MhaCache<B: Backend> {
    /// `None` is a cross-attention.
    capacity: Option<usize>,
    len: usize,
    stored: Option<Stored<B>>,
}

/// `[batch, heads, capacity, size]`, and `[batch, capacity]` where there was a padding mask.
#[derive(Clone, Debug)]
struct Stored<B: Backend> {
    key: Tensor<B, 4>,
    value: Tensor<B, 4>,
    pad: Option<Tensor<B, 2, Bool>>,
}

/// Keys and values of one call, or of all positions so far.
pub struct Keys<B: Backend> {
    pub key: Tensor<B, 4>,
    pub value: Tensor<B, 4>,
    pub pad: Option<Tensor<B, 2, Bool>>,
}

impl<B: Backend> MhaCache<B> {
    /// Returns the empty cache of a self-attention over at most `capacity` positions.
    pub fn autoregressive(capacity: usize) -> Self {
        MhaCache { capacity: Some(capacity), len: 0, stored: None }
    }

    /// Returns the empty cache of a cross-attention.
    pub fn autoregressive_cross_attention() -> Self {
        MhaCache { capacity: None, len: 0, stored: None }
    }

    /// Returns the number of positions that are cached.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the largest number of positions; `None` for a cross-attention.
    pub fn capacity(&self) -> Option<usize> {
        self.capacity
    }

    /// Forgets all positions. A self-attention keeps its memory for the next sequence.
    pub fn clear(&mut self) {
        self.len = 0;
        match (&mut self.stored, self.capacity) {
            (Some(stored), Some(_)) => stored.pad = None,
            (stored, _) => *stored = None,
        }
    }

    /// Takes the sequences `indices` of the batch, each as often as it occurs: what a step of beam search
    /// keeps.
    ///
    /// # Panics
    /// An index is not below the batch size, where the backend computes at once.
    pub fn select(&mut self, indices: Tensor<B, 1, Int>) {
        self.stored = self.stored.take().map(|Stored { key, value, pad }| Stored {
            key: key.select(0, indices.clone()),
            value: value.select(0, indices.clone()),
            pad: pad.map(|pad| pad.select(0, indices)),
        });
    }

    /// The position of the first query of the next call.
    pub(super) fn position(&self) -> usize {
        if self.capacity.is_some() { self.len } else { 0 }
    }

    /// Keys and values that take the place of those of a call: the ones of a cross-attention after its first
    /// call.
    pub(super) fn fixed(&self) -> Option<Keys<B>> {
        match (&self.stored, self.capacity) {
            (Some(Stored { key, value, .. }), None) => {
                Some(Keys { key: key.clone(), value: value.clone(), pad: None })
            }
            _ => None,
        }
    }

    /// Whether `count` more positions of `batch` sequences can be written.
    pub(super) fn check(&self, layer: &'static str, batch: usize, count: usize) -> Result<(), TensorError> {
        let cached = self.stored.as_ref().map_or(batch, |stored| stored.key.dims()[0]);
        match full(self.capacity, self.len, count, [cached, batch]) {
            None => Ok(()),
            Some(message) => Err(TensorError::argument(layer, format_args!("{message}"))),
        }
    }

    /// Refuses a call that begins with the positions that are cached: a growing prefix in place of the new
    /// positions alone. Values are compared, which no rotation by position changes. A call that is not longer
    /// than what is cached cannot hold all of it, so that the decoding of a token reads nothing.
    pub(super) fn check_new(&self, layer: &'static str, value: &Tensor<B, 4>) -> Result<(), TensorError> {
        let (Some(stored), Some(capacity)) = (&self.stored, self.capacity) else { return Ok(()) };
        let (len, count, size) = (self.len, value.dims()[2], stored.value.dims()[2]);
        if len == 0 || count <= len {
            return Ok(());
        }
        let cached = stored.value.clone().detach().narrow(2, size - capacity, len);
        let given = value.clone().detach().narrow(2, 0, len);
        let limit = cached.clone().abs() * 1e-3 + 1e-6;
        let same = (given - cached).abs().lower_equal(limit).all();
        // Where values can only be read asynchronously, the check is left out.
        let same = same.try_into_data().is_ok_and(|data| data.iter::<bool>().all(|same| same));
        if !same {
            return Ok(());
        }
        let message = format_args!(
            "the {len} cached positions come again at the start of the input; expected new positions only, got {count} \
             that begin with them. Give what follows the cached positions, or clear the cache. A sequence that repeats \
             itself is given in parts of at most {len} positions"
        );
        Err(TensorError::argument(layer, message))
    }

    /// Writes the keys of a call after the cached ones and returns all of them. The first `front` keys of
    /// the memory are zeros that are there from the beginning.
    pub(super) fn extend(&mut self, keys: Keys<B>, front: usize) -> Keys<B> {
        let Keys { key, value, pad } = keys;
        let count = key.dims()[2];
        let Some(capacity) = self.capacity else {
            self.len = count;
            self.stored = Some(Stored { key: key.clone(), value: value.clone(), pad: None });
            return Keys { key, value, pad };
        };
        let stored = self.stored.take().unwrap_or_else(|| Stored {
            key: memory(&key, front + capacity),
            value: memory(&value, front + capacity),
            pad: None,
        });
        let (start, end) = (front + self.len, front + self.len + count);
        let [batch, ..] = key.dims();
        let pad = match (stored.pad, pad) {
            (None, None) => None,
            (known, new) => {
                let device = key.device();
                let known = known.unwrap_or_else(|| Tensor::zeros([batch, front + capacity], &device));
                let new = new.unwrap_or_else(|| Tensor::zeros([batch, count], &device));
                Some(known.slice_assign([0..batch, start..end], new))
            }
        };
        let stored =
            Stored { key: written(stored.key, key, start), value: written(stored.value, value, start), pad };
        self.len += count;
        let all = Keys {
            key: stored.key.clone().narrow(2, 0, end),
            value: stored.value.clone().narrow(2, 0, end),
            pad: stored.pad.clone().map(|pad| pad.narrow(1, 0, end)),
        };
        self.stored = Some(stored);
        all
    }
}

/// Zeros for `capacity` positions of what `x` is one or some of.
fn memory<B: Backend>(x: &Tensor<B, 4>, capacity: usize) -> Tensor<B, 4> {
    let [batch, heads, _, size] = x.dims();
    Tensor::zeros([batch, heads, capacity, size], (&x.device(), x.dtype()))
}

/// `memory`, whose only owner is the caller, with `x` at the positions from `start` on.
fn written<B: Backend>(memory: Tensor<B, 4>, x: Tensor<B, 4>, start: usize) -> Tensor<B, 4> {
    let [batch, heads, count, size] = x.dims();
    memory.slice_assign([0..batch, 0..heads, start..start + count, 0..size], x)
}

/// Why a call does not fit a cache.
fn full(capacity: Option<usize>, len: usize, count: usize, [cached, batch]: [usize; 2]) -> Option<String> {
    if cached != batch {
        return Some(alloc::format!("wrong batch size for the cache; expected {cached}, got {batch}"));
    }
    let capacity = capacity.filter(|&capacity| len + count > capacity)?;
    Some(alloc::format!(
        "the cache is full; expected at most {capacity} positions, got {len} cached and {count} more. Make the cache \
         with a larger capacity"
    ))
}

#[cfg(test)]
mod tests {
    use crate::attention::{MhaCache, MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
    use crate::transformer::{
        TransformerDecoderConfig, TransformerDecoderInput, TransformerEncoderConfig, TransformerEncoderInput,
    };
    use crate::{RotaryEncoding, RotaryEncodingConfig};
    use alloc::string::ToString;
    use burn_core::tensor::{Distribution, Tensor};
    use burn_ndarray::NdArray;

    type B = NdArray;

    fn random() -> Tensor<B, 3> {
        Tensor::random([2, 5, 8], Distribution::Normal(0.0, 1.0), &Default::default())
    }

    #[test]
    fn cache_refuses_a_growing_prefix_and_stays_as_it_was() {
        let layer: MultiHeadAttention<B> = MultiHeadAttentionConfig::new(8, 2).init(&Default::default());
        let rotary: RotaryEncoding<B> = RotaryEncodingConfig::new(16, 4).init(&Default::default());
        let (x, mut cache) = (random(), MhaCache::autoregressive(16));
        let prefix = |length| {
            let input = MhaInput::self_attn(x.clone().narrow(1, 0, length)).causal();
            MhaInput { rotary: Some(rotary.clone()), ..input }
        };
        for (first, next) in [(1, 2), (2, 3), (2, 5)] {
            cache.clear();
            assert!(layer.try_forward_cache(prefix(first), &mut cache).is_ok());
            let error = layer.try_forward_cache(prefix(next), &mut cache).map(drop).unwrap_err().to_string();
            let expected = alloc::format!(
                "multi_head_attention: the {first} cached positions come again at the start of the input; expected new \
                 positions only, got {next} that begin with them."
            );
            assert!(error.starts_with(&expected), "{error}");
            assert_eq!(cache.len(), first);
        }
        // Parts of any length that do not begin with what is cached.
        cache.clear();
        for (start, count) in [(0, 1), (1, 3), (4, 1)] {
            let part = MhaInput::self_attn(x.clone().narrow(1, start, count)).causal();
            assert!(layer.try_forward_cache(part, &mut cache).is_ok(), "{start} {count}");
        }
        assert_eq!(cache.len(), 5);
    }

    #[test]
    fn transformers_refuse_a_growing_prefix() {
        let device = Default::default();
        let x = random();
        let encoder = TransformerEncoderConfig::new(8, 16, 2, 2).init::<B>(&device);
        let mut cache = encoder.new_autoregressive_cache(8);
        let input = |length| TransformerEncoderInput::new(x.clone().narrow(1, 0, length));
        assert!(encoder.try_forward_autoregressive_inference(input(1), &mut cache).is_ok());
        let error = encoder.try_forward_autoregressive_inference(input(2), &mut cache).unwrap_err();
        assert!(error.to_string().contains("expected new positions only, got 2"), "{error}");
        assert!(cache.layers.iter().all(|cache| cache.len() == 1));
        let decoder = TransformerDecoderConfig::new(8, 16, 2, 2).init::<B>(&device);
        let mut cache = decoder.new_autoregressive_cache(8);
        let input = |length| TransformerDecoderInput::new(x.clone().narrow(1, 0, length), x.clone());
        assert!(decoder.try_forward_autoregressive_inference(input(2), &mut cache).is_ok());
        let error = decoder.try_forward_autoregressive_inference(input(3), &mut cache).unwrap_err();
        assert!(error.to_string().contains("expected new positions only, got 3"), "{error}");
        assert!(cache.layers.iter().all(|cache| cache.self_attn.len() == 2));
    }
}
