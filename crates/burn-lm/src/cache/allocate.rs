use super::KvCache;
use super::kv_cache::PAGE;
use crate::LmError;
use crate::model::LanguageModel;
use burn_core::tensor::{Backend, Tensor};

impl<B: Backend> KvCache<B> {
    /// Creates a cache for `positions` tokens of all sequences together, rounded up to a page.
    ///
    /// Memory: `2 n_layers n_key_value_heads d_head` numbers per position.
    ///
    /// # Errors
    /// `positions` is 0, or the memory of the device does not suffice.
    pub fn new(model: &LanguageModel<B>, positions: usize) -> Result<Self, LmError> {
        let config = &model.config;
        let pages = positions.div_ceil(PAGE);
        let (heads, size) = (config.key_value_heads(), config.head_size());
        let numbers =
            [2, config.n_layers, heads, size, 4].iter().try_fold(pages * PAGE, |a, b| a.checked_mul(*b));
        let fits = |bytes: usize| burn_io::available_memory().is_none_or(|free| bytes as u64 <= free);
        if positions == 0 || positions > 1 << 31 || !numbers.is_some_and(fits) {
            let expected = "a number of positions whose keys and values fit the memory";
            return Err(LmError::argument("positions", expected, positions));
        }
        let device = model.device();
        let dtype = model.embedding_dtype();
        let mut layers = Vec::with_capacity(config.n_layers);
        for _layer in 0..config.n_layers {
            let memory = || Tensor::try_zeros([heads, pages * PAGE, size], (&device, dtype));
            layers.push([Some(memory()?), Some(memory()?)]);
        }
        let (rotary, window) = (model.rotary_tables(), config.sliding_window);
        Ok(KvCache::of_layers(layers, pages, rotary, window, config.context_length, device))
    }
}
