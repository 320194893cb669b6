use super::KvCache;
use super::kv_cache::PAGE;
use crate::LmError;
use crate::model::LanguageModel;
use burn_core::tensor::{Backend, DType, Tensor};

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
    /// `bf16` take half the memory of `f32`, and each of them is rounded to 11 or 8 bits.
    ///
    /// # Errors
    /// `positions` is 0, `dtype` is not one of floats, or the memory of the device does not suffice.
    pub fn with_dtype(model: &LanguageModel<B>, positions: usize, dtype: DType) -> Result<Self, LmError> {
        if !dtype.is_float() {
            return Err(LmError::argument("dtype", "a dtype of floats", dtype));
        }
        let config = &model.config;
        let pages = positions.div_ceil(PAGE);
        let (heads, size) = (config.key_value_heads(), config.head_size());
        let numbers = [2, config.n_layers, heads, size, dtype.size()]
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
            let memory = || Tensor::try_zeros([heads, pages * PAGE, size], (&device, dtype));
            layers.push([Some(memory()?), Some(memory()?)]);
        }
        let (rotary, window) = (model.rotary_tables(), config.sliding_window);
        Ok(KvCache::of_layers(layers, pages, rotary, window, config.context_length, device))
    }
}
