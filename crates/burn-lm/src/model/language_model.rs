use super::fixed_keys::FixedKeys;
use super::hidden_keys::hidden_keys;
use super::soft_cap::soft_cap;
use super::{DecoderBlock, DenseShape, KeySource, RotaryRows, RotaryTable};
use crate::LmError;
use crate::cache::{KvCache, SequenceId, StepPlan};
use crate::config::LanguageModelConfig;
use burn_core::module::{Ignored, Module, Param};
use burn_core::tensor::{Backend, DType, Int, Tensor, TensorData};
use burn_nn::{Dropout, Embedding, Linear, Normalization};

/// Decoder-only language model.
///
/// Loaded by [`from_gguf`](Self::from_gguf) and [`from_folder`](Self::from_folder), or made with random
/// weights by [`LanguageModelConfig::init`]. [`loss`](Self::loss) trains it, [`forward`](Self::forward)
/// computes the logits of whole sequences, and [`decode`](Self::decode) extends sequences whose keys and
/// values are in a [`KvCache`].
///
/// ```
/// use burn::backend::NdArray;
/// use burn::lm::{KvCache, LanguageModel, LanguageModelConfig};
///
/// let device = Default::default();
/// let model: LanguageModel<NdArray> = LanguageModelConfig::new(50, 16, 2, 2, 32).init(&device)?;
/// let mut cache = KvCache::new(&model, 64)?;
/// let sequence = cache.start(&[3, 4, 5], 10)?;
/// let hidden = model.decode(&[(sequence, &[3, 4, 5])], &mut cache)?;
/// let next = model.logits(hidden.narrow(0, 2, 1)).argmax(1).into_data();
/// assert!(next.to_f64()[0] < 50.0);
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Module, Debug)]
pub struct LanguageModel<B: Backend> {
    /// Embeddings of the tokens, `[vocabulary_size, d_model]`.
    pub embedding: Embedding<B>,
    /// Embeddings of the positions, `[context_length, d_model]`, where they are learned.
    pub positions: Option<Embedding<B>>,
    /// Dropout of the embeddings, in training.
    pub dropout: Dropout,
    /// Blocks, in the order in which they are applied.
    pub blocks: Vec<DecoderBlock<B>>,
    /// Norm of the last hidden states.
    pub norm: Normalization<B>,
    /// Projection to logits; without it the transposed embeddings.
    pub head: Option<Linear<B>>,
    /// Options of the model.
    pub config: Ignored<LanguageModelConfig>,
}

impl<B: Backend> LanguageModel<B> {
    /// Computes the logits of the token after each position: `[batch, length]` to `[batch, length,
    /// vocabulary_size]`.
    ///
    /// # Errors
    /// The sequences are longer than the context, or a tensor operation fails.
    pub fn forward(&self, tokens: Tensor<B, 2, Int>) -> Result<Tensor<B, 3>, LmError> {
        let [batch, length] = tokens.dims();
        let hidden = self.hidden_states(tokens)?;
        Ok(self.logits(hidden).reshape([batch, length, self.config.vocabulary_size]))
    }

    /// Computes the normalized hidden states after the last block: `[batch, length]` to `[batch length,
    /// d_model]`.
    ///
    /// # Errors
    /// The sequences are longer than the context, or a tensor operation fails.
    pub fn hidden_states(&self, tokens: Tensor<B, 2, Int>) -> Result<Tensor<B, 2>, LmError> {
        let [batch, length] = tokens.dims();
        let context = self.config.context_length;
        if length > context {
            let cause = format!("{length} tokens; expected at most {context}, the context of the model");
            return Err(LmError::Prompt { cause });
        }
        let device = tokens.device();
        let window = self.config.sliding_window.filter(|window| *window < length);
        let window_mask = window.map(|window| hidden_keys(0..length, 0, Some(window), &device));
        let shape = DenseShape { batch, length, window_mask };
        let positions = (0..batch).flat_map(|_| 0..length);
        let rotary =
            self.rotary_tables().map(|table| table.map(|mut table| table.rows(positions.clone(), &device)));
        let mut x = self.embed_tokens(tokens.flatten::<1>(0, 1));
        if let Some(table) = &self.positions {
            // All sequences have the first positions: their gradient is a sum, not a scatter.
            let (table, d_model) = (table.weight.val().narrow(0, 0, length), self.config.d_model);
            let sequences = x.reshape([batch, length, d_model]) + table.unsqueeze::<3>();
            x = sequences.reshape([batch * length, d_model]);
        }
        self.run_blocks(self.dropout.forward(x), &rotary, &mut KeySource::Dense(&shape))
    }

    /// Appends tokens to sequences of the cache, and returns the normalized hidden states of the new tokens,
    /// `[tokens, d_model]`, those of the first sequence first. [`logits`](Self::logits) of the last row of a
    /// sequence are those of its next token.
    ///
    /// # Errors
    /// A token is not in the vocabulary, a sequence is not in the cache or would be longer than what was
    /// reserved for it, or a tensor operation fails. The cache stays as it was.
    pub fn decode(
        &self,
        steps: &[(SequenceId, &[u32])],
        cache: &mut KvCache<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        self.check_tokens(steps)?;
        let plan = cache.plan(steps)?;
        let device = self.embedding.weight.device();
        let ids: Vec<i64> =
            steps.iter().flat_map(|(_, tokens)| tokens.iter().copied().map(i64::from)).collect();
        let count = ids.len();
        let ids = Tensor::<B, 1, Int>::from_data(TensorData::new(ids, [count]), &device);
        let x = self.embed(ids, plan.positions(), &device);
        let hidden = self.run_blocks(x, &plan.rotary, &mut KeySource::Cached(cache, &plan));
        if hidden.is_ok() {
            cache.commit(steps);
        }
        hidden
    }

    pub(crate) fn check_tokens(&self, steps: &[(SequenceId, &[u32])]) -> Result<(), LmError> {
        let mut tokens = steps.iter().flat_map(|(_, tokens)| tokens.iter().copied());
        match tokens.find(|token| *token as usize >= self.config.vocabulary_size) {
            Some(token) => {
                let expected = format!("tokens below {}", self.config.vocabulary_size);
                Err(LmError::argument("tokens", expected, token))
            }
            None => Ok(()),
        }
    }

    /// Appends a token to each sequence of `keys`; `positions` where embeddings of them are learned.
    pub(crate) fn decode_fixed(
        &self,
        tokens: Tensor<B, 1, Int>,
        positions: Option<Tensor<B, 1, Int>>,
        rotary: &[Option<RotaryRows<B>>; 2],
        keys: &mut FixedKeys<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let x = self.embed_tokens(tokens);
        let x = match self.positions.as_ref().zip(positions) {
            Some((table, positions)) => x + table.weight.val().select(0, positions),
            None => x,
        };
        self.run_blocks(x, rotary, &mut KeySource::Fixed(keys))
    }

    /// Computes logits of hidden states: `[rows, d_model]` to `[rows, vocabulary_size]`.
    #[must_use]
    pub fn logits(&self, hidden: Tensor<B, 2>) -> Tensor<B, 2> {
        let logits = match &self.head {
            Some(head) => head.forward(hidden),
            None => hidden.matmul(self.embedding.weight.val().transpose()),
        };
        match self.config.logit_soft_cap {
            Some(cap) => soft_cap(logits, cap),
            None => logits,
        }
    }

    /// The logits of hidden states on the host, `[rows, vocabulary_size]` of `f32`. Those of eight sequences
    /// are megabytes, which are copied no more often than necessary.
    pub(crate) fn read_logits(&self, hidden: Tensor<B, 2>) -> Result<TensorData, LmError> {
        Ok(self.logits(hidden).try_into_data()?.convert::<f32>())
    }

    /// The rows of what [`read_logits`](Self::read_logits) returns.
    pub(crate) fn logit_rows<'a>(
        &self,
        logits: &'a TensorData,
    ) -> impl Iterator<Item = &'a [f32]> + use<'a, B> {
        let logits = logits.as_slice::<f32>().expect("they were converted");
        logits.chunks_exact(self.config.vocabulary_size)
    }

    /// Returns the device of the model.
    pub fn device(&self) -> B::Device {
        self.embedding.weight.device()
    }

    pub(crate) fn embedding_dtype(&self) -> DType {
        self.embedding.weight.val().dtype()
    }

    fn embed_tokens(&self, tokens: Tensor<B, 1, Int>) -> Tensor<B, 2> {
        let x = self.embedding.weight.val().select(0, tokens);
        match self.config.embedding_scale {
            Some(scale) => x * scale,
            None => x,
        }
    }

    fn embed(
        &self,
        tokens: Tensor<B, 1, Int>,
        positions: impl Iterator<Item = usize>,
        device: &B::Device,
    ) -> Tensor<B, 2> {
        let x = self.embed_tokens(tokens);
        match self.positions.as_ref().map(|table| Param::val(&table.weight)) {
            Some(table) => {
                let positions: Vec<i64> = positions.map(|position| position as i64).collect();
                let count = positions.len();
                x + table.select(0, Tensor::from_data(TensorData::new(positions, [count]), device))
            }
            None => x,
        }
    }

    fn run_blocks(
        &self,
        mut x: Tensor<B, 2>,
        rotary: &[Option<RotaryRows<B>>; 2],
        keys: &mut KeySource<'_, B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let [global, local] = rotary;
        for block in &self.blocks {
            let windowed = block.attention.options.window.is_some();
            let rotary = local.as_ref().filter(|_| windowed).or(global.as_ref());
            x = block.forward(x, rotary, keys)?;
        }
        Ok(self.norm.forward(x))
    }

    /// The tables of the layers without and with a sliding window, the latter where they differ.
    pub(crate) fn rotary_tables(&self) -> [Option<RotaryTable>; 2] {
        let d_head = self.config.head_size();
        [&self.config.rope, &self.config.window_rope]
            .map(|rope| rope.as_ref().map(|rope| RotaryTable::new(rope, d_head)))
    }
}

impl<B: Backend> StepPlan<B> {
    fn positions(&self) -> impl Iterator<Item = usize> + Clone {
        self.segments.iter().flat_map(|segment| segment.start..segment.start + segment.rows.len())
    }
}
