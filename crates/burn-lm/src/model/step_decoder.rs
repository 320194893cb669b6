use super::{DecodeGraphs, GreedyTokenRows, GreedyTokens, LanguageModel};
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use burn_core::tensor::{Backend, Tensor};

/// Decodes sequences step by step with a model that stays as it is meanwhile.
///
/// Steps are those of [`LanguageModel::decode`]. On GPUs that repeat launches (CUDA), those of one token of
/// each sequence are recorded, and later ones run without the host; results are equal up to rounding.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
///
/// let device = Default::default();
/// let model: LanguageModel<NdArray> = LanguageModelConfig::new(50, 16, 2, 2, 32).init(&device)?;
/// let mut cache = KvCache::new(&model, 64)?;
/// let sequence = cache.start(&[3, 4, 5], 10)?;
/// let mut decoder = model.step_decoder();
/// let mut hidden = decoder.decode(&[(sequence, &[3, 4, 5])], &mut cache)?.narrow(0, 2, 1);
/// for _token in 0..4 {
///     let next = model.logits(hidden).argmax(1).into_data().to_f64()[0] as u32;
///     hidden = decoder.decode(&[(sequence, &[next])], &mut cache)?;
/// }
/// assert_eq!(cache.len(sequence), 7);
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Debug)]
pub struct StepDecoder<'a, B: Backend> {
    model: &'a LanguageModel<B>,
    graphs: DecodeGraphs<B>,
}

impl<B: Backend> LanguageModel<B> {
    /// Returns a decoder of sequences, step by step.
    pub fn step_decoder(&self) -> StepDecoder<'_, B> {
        StepDecoder { model: self, graphs: DecodeGraphs::new(&self.device()) }
    }
}

impl<B: Backend> StepDecoder<'_, B> {
    /// [`LanguageModel::decode`].
    ///
    /// # Errors
    /// As there.
    pub fn decode(
        &mut self,
        steps: &[(SequenceId, &[u32])],
        cache: &mut KvCache<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        self.graphs.decode(self.model, steps, cache)
    }

    /// Returns an iterator over the `count` most likely tokens that follow `last`, which is in no cache yet.
    ///
    /// On GPUs that repeat launches (CUDA), a token is chosen where it is computed, and the step behind it is
    /// queued before the host has read it, so that the device does not wait for the host. An iterator that is
    /// dropped early has computed at most one token too much.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
    ///
    /// let device = Default::default();
    /// let model: LanguageModel<NdArray> = LanguageModelConfig::new(50, 16, 2, 2, 32).init(&device)?;
    /// let mut cache = KvCache::new(&model, 64)?;
    /// let sequence = cache.start(&[3, 4], 10)?;
    /// let _hidden = model.decode(&[(sequence, &[3, 4])], &mut cache)?;
    /// let mut decoder = model.step_decoder();
    /// let tokens: Vec<u32> = decoder.greedy(sequence, 5, 4, &mut cache).collect::<Result<_, _>>()?;
    /// assert_eq!(tokens.len(), 4);
    /// // The last one is not in the cache.
    /// assert_eq!(cache.len(sequence), 6);
    /// # Ok::<(), burn::lm::LmError>(())
    /// ```
    pub fn greedy<'a>(
        &'a mut self,
        sequence: SequenceId,
        last: u32,
        count: usize,
        cache: &'a mut KvCache<B>,
    ) -> GreedyTokens<'a, B> {
        GreedyTokens(self.greedy_rows(&[(sequence, last)], count, cache))
    }

    /// Returns an iterator over the `count` most likely tokens of each of these sequences, one of each at a
    /// time: [`greedy`](Self::greedy) of several. A token is the last of each sequence, which is in no cache
    /// yet.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
    ///
    /// let device = Default::default();
    /// let model: LanguageModel<NdArray> = LanguageModelConfig::new(50, 16, 2, 2, 32).init(&device)?;
    /// let mut cache = KvCache::new(&model, 64)?;
    /// let (first, second) = (cache.start(&[3, 4], 10)?, cache.start(&[7], 10)?);
    /// let _hidden = model.decode(&[(first, &[3, 4]), (second, &[7])], &mut cache)?;
    /// let mut decoder = model.step_decoder();
    /// for tokens in decoder.greedy_rows(&[(first, 5), (second, 8)], 4, &mut cache) {
    ///     assert_eq!(tokens?.len(), 2);
    /// }
    /// # Ok::<(), burn::lm::LmError>(())
    /// ```
    pub fn greedy_rows<'a>(
        &'a mut self,
        last: &[(SequenceId, u32)],
        count: usize,
        cache: &'a mut KvCache<B>,
    ) -> GreedyTokenRows<'a, B> {
        GreedyTokenRows::new((self.model, &mut self.graphs), cache, last, count)
    }
}
