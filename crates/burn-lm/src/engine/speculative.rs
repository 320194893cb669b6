use super::request::{FinishReason, GenerationEvent, GenerationRequest, RequestId, Token, Usage};
use super::sequence_state::SequenceState;
use super::text_generator::TextGenerator;
use crate::LmError;
use crate::cache::{CacheDtype, KvCache, SequenceId};
use crate::model::LanguageModel;
use burn_core::tensor::Backend;
use std::collections::VecDeque;

/// Tokens of a prompt that are computed at a time.
const PIECE: usize = 512;

/// Speculative decoding (Leviathan et al. 2023): a small model proposes some tokens, and the model checks all
/// of them in one pass; made by [`TextGenerator::generate_with_draft`].
///
/// A proposal is taken if it is the token that the model itself chooses with its random number for that
/// position, so the text is the one that [`TextGenerator::generate`] gives with the same seed.
#[derive(Debug)]
pub struct SpeculativeGeneration<B: Backend> {
    generator: TextGenerator<B>,
    cache: KvCache<B>,
    state: SequenceState,
    draft: Draft<B>,
    capacity: usize,
    events: VecDeque<GenerationEvent>,
    ended: Option<(FinishReason, Usage)>,
    proposed: usize,
    accepted: usize,
}

#[derive(Debug)]
struct Draft<B: Backend> {
    model: LanguageModel<B>,
    cache: KvCache<B>,
    sequence: SequenceId,
    /// Most tokens that are proposed at a time.
    tokens: usize,
    /// Tokens of the text that are not in the cache of the draft.
    pending: Vec<u32>,
}

impl<B: Backend> TextGenerator<B> {
    /// Continues a prompt as [`generate`](Self::generate) does, with up to `tokens` proposals of `draft` at a
    /// time.
    ///
    /// # Errors
    /// The request is wrong, the vocabularies of the models differ in size, `tokens` is 0, or there is no
    /// memory for the caches.
    pub fn generate_with_draft(
        &self,
        request: GenerationRequest,
        draft: &LanguageModel<B>,
        tokens: usize,
    ) -> Result<SpeculativeGeneration<B>, LmError> {
        self.generate_with_draft_and_cache(request, draft, tokens, self.model.embedding_dtype())
    }

    /// [`generate_with_draft`](Self::generate_with_draft) with keys and values of both models as `dtype`, as
    /// [`KvCache::with_dtype`] rounds them.
    ///
    /// # Errors
    /// As there, or a model cannot store keys and values as `dtype`.
    pub fn generate_with_draft_and_cache(
        &self,
        request: GenerationRequest,
        draft: &LanguageModel<B>,
        tokens: usize,
        dtype: impl Into<CacheDtype>,
    ) -> Result<SpeculativeGeneration<B>, LmError> {
        let dtype = dtype.into();
        let (vocabulary, found) = (self.model.config.vocabulary_size, draft.config.vocabulary_size);
        if found != vocabulary {
            return Err(LmError::argument("draft", format!("a vocabulary of {vocabulary}"), found));
        }
        if tokens == 0 || request.max_tokens == 0 {
            return Err(LmError::argument("tokens", "at least 1", 0));
        }
        let capacity = request.prompt.len().saturating_add(request.max_tokens);
        let mut cache = KvCache::with_dtype(&self.model, capacity, dtype)?;
        let sequence = cache.start(&request.prompt, capacity)?;
        let mut draft_cache = KvCache::with_dtype(draft, capacity, dtype)?;
        let draft = Draft {
            sequence: draft_cache.start(&request.prompt, capacity)?,
            model: draft.clone(),
            cache: draft_cache,
            tokens,
            pending: request.prompt.clone(),
        };
        let state = SequenceState::new(RequestId(0), sequence, 0, request, self)?;
        Ok(SpeculativeGeneration {
            generator: self.clone(),
            cache,
            state,
            draft,
            capacity,
            events: VecDeque::new(),
            ended: None,
            proposed: 0,
            accepted: 0,
        })
    }
}

impl<B: Backend> Draft<B> {
    /// Proposes `count` tokens after the pending ones, the most likely ones.
    fn propose(&mut self, count: usize) -> Result<Vec<u32>, LmError> {
        let mut proposals = Vec::with_capacity(count);
        let mut pending = std::mem::take(&mut self.pending);
        while proposals.len() < count {
            let mut last = None;
            for piece in pending.chunks(PIECE) {
                let hidden = self.model.decode(&[(self.sequence, piece)], &mut self.cache)?;
                last = Some(hidden.narrow(0, piece.len() - 1, 1));
            }
            let Some(hidden) = last else { break };
            let next = self.model.logits(hidden).argmax(1).try_into_data()?.iter::<i64>().next();
            let Some(next) = next else { break };
            proposals.push(next as u32);
            pending = vec![next as u32];
        }
        if count == 0 {
            self.pending = pending;
        }
        Ok(proposals)
    }
}

impl<B: Backend> SpeculativeGeneration<B> {
    /// Returns why the text has ended, and the numbers of its tokens; `None` as long as it has not.
    pub fn finish(&self) -> Option<(FinishReason, Usage)> {
        self.ended
    }

    /// Returns the numbers of tokens that were proposed and accepted.
    pub fn proposals(&self) -> (usize, usize) {
        (self.proposed, self.accepted)
    }

    /// Proposes tokens, checks them and takes those that the model chooses.
    fn round(&mut self) -> Result<(), LmError> {
        let sequence = self.state.sequence;
        let model = &self.generator.model;
        while self.state.pending.len() > 1 {
            let count = (self.state.pending.len() - 1).min(PIECE);
            let piece: Vec<u32> = self.state.pending.drain(..count).collect();
            model.decode(&[(sequence, &piece)], &mut self.cache)?;
        }
        let known = self.cache.len(sequence);
        let count = self.draft.tokens.min(self.capacity - known - 1);
        let proposals = self.draft.propose(count)?;
        let mut tokens = self.state.pending.clone();
        tokens.extend_from_slice(&proposals);
        let hidden = model.decode(&[(sequence, &tokens)], &mut self.cache)?;
        let logits = model.read_logits(hidden)?;
        let mut accepted = 0;
        let mut events = Vec::new();
        for (index, row) in model.logit_rows(&logits).enumerate() {
            let goes_on = self.state.advance(row, &self.generator.tokenizer, &mut events);
            if !goes_on || proposals.get(index) != self.state.pending.first() {
                break;
            }
            accepted += 1;
        }
        self.events.extend(events.into_iter().map(|(_, event)| event));
        self.proposed += proposals.len();
        self.accepted += accepted;
        // The cache drops rejected tokens; the last accepted token is computed with the next proposals.
        let accepted = accepted.min(proposals.len());
        self.cache.truncate(sequence, known + 1 + accepted)?;
        let draft_length = self.draft.cache.len(self.draft.sequence);
        self.draft.cache.truncate(self.draft.sequence, draft_length.min(known + 1 + accepted))?;
        if accepted == proposals.len() && accepted > 0 {
            self.draft.pending.push(proposals[accepted - 1]);
        }
        self.draft.pending.extend_from_slice(&self.state.pending);
        Ok(())
    }
}

impl<B: Backend> Iterator for SpeculativeGeneration<B> {
    type Item = Result<Token, LmError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.events.is_empty()
            && self.ended.is_none()
            && let Err(error) = self.round()
        {
            self.ended = Some((FinishReason::Cancelled, Usage::default()));
            return Some(Err(error));
        }
        match self.events.pop_front()? {
            GenerationEvent::Token(mut token) => {
                if let Some(GenerationEvent::Finished { text, .. }) = self.events.front_mut() {
                    token.text.push_str(&std::mem::take(text));
                }
                Some(Ok(token))
            }
            GenerationEvent::Finished { reason, text, usage } => {
                self.ended = Some((reason, usage));
                let id = self.state.pending.first().copied().unwrap_or_default();
                (!text.is_empty()).then_some(Ok(Token { id, text, log_probs: None }))
            }
            GenerationEvent::Failed(error) => {
                self.ended = Some((FinishReason::Cancelled, Usage::default()));
                Some(Err(error))
            }
        }
    }
}
