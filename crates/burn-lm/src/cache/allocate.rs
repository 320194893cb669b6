use super::kv_cache::PAGE;
use super::stored_rows::{is_storable, row_bytes, zeros};
use super::{CacheDtype, KvCache};
use crate::LmError;
use crate::model::LanguageModel;
use burn_core::tensor::Backend;

impl<B: Backend> KvCache<B> {
    /// Creates a cache for `positions` tokens of all sequences together, rounded up to a page.
    ///
    /// Memory: `2 n_layers n_key_value_heads d_head` numbers per position, of the dtype of the embeddings.
    ///
    /// # Errors
    /// `positions` is 0, or the memory of the device does not suffice.
    pub fn new(model: &LanguageModel<B>, positions: usize) -> Result<Self, LmError> {
        KvCache::with_dtype(model, positions, model.embedding_dtype())
    }

    /// Creates a cache as [`new`](Self::new) does, whose keys and values are of `dtype`: those of `f16` and
    /// `bf16` take half the memory of `f32`, and each of them is rounded to 11 or 8 bits; those of
    /// [`Q8_0`](CacheDtype::Blocks) take a quarter, and each is wrong by at most a 254th of the largest of
    /// its 32 neighbours.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
    /// use burn::tensor::quantization::BlockFormat;
    ///
    /// let config = LanguageModelConfig::new(50, 64, 2, 2, 32);
    /// let model: LanguageModel<NdArray> = config.init(&Default::default())?;
    /// let mut cache = KvCache::with_dtype(&model, 256, BlockFormat::Q8_0)?;
    /// let sequence = cache.start(&[3, 4, 5], 10)?;
    /// model.decode(&[(sequence, &[3, 4, 5])], &mut cache)?;
    /// assert_eq!(cache.len(sequence), 3);
    /// # Ok::<(), burn::lm::LmError>(())
    /// ```
    ///
    /// # Errors
    /// `positions` is 0, `dtype` is neither one of floats nor `Q8_0`, it is `Q8_0` and the size of a head no
    /// multiple of 32, or the memory of the device does not suffice.
    pub fn with_dtype(
        model: &LanguageModel<B>,
        positions: usize,
        dtype: impl Into<CacheDtype>,
    ) -> Result<Self, LmError> {
        let (config, dtype) = (&model.config, dtype.into());
        let (heads, size) = (config.key_value_heads(), config.head_size());
        if !is_storable(dtype, size) {
            let expected = "a dtype of floats, or Q8_0 where the size of a head is a multiple of 32";
            return Err(LmError::argument("dtype", expected, format_args!("{dtype:?} for heads of {size}")));
        }
        let pages = positions.div_ceil(PAGE);
        let numbers = [2, config.n_layers, heads, row_bytes(dtype, size)]
            .iter()
            .try_fold(pages * PAGE, |a, b| a.checked_mul(*b));
        let fits = |bytes: usize| burn_io::available_memory().is_none_or(|free| bytes as u64 <= free);
        if positions == 0 || positions > 1 << 31 || !numbers.is_some_and(fits) {
            let expected = "a number of positions whose keys and values fit the memory";
            return Err(LmError::argument("positions", expected, positions));
        }
        let device = model.device();
        let mut layers = Vec::with_capacity(config.n_layers);
        for _layer in 0..config.n_layers {
            let memory = || zeros::<B>(dtype, [heads, pages * PAGE, size], &device);
            layers.push([Some(memory()?), Some(memory()?)]);
        }
        let (rotary, window) = (model.rotary_tables(), config.sliding_window);
        Ok(KvCache::of_layers(layers, pages, rotary, window, config.context_length, device))
    }
}
