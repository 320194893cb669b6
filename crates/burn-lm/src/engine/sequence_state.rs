use super::request::{FinishReason, GenerationEvent, GenerationRequest, RequestId, Token, Usage};
use super::stop_strings::StopStrings;
use super::text_generator::TextGenerator;
use crate::LmError;
use crate::cache::SequenceId;
#[cfg(feature = "json-schema")]
use crate::sampling::JsonConstraint;
use crate::sampling::{Sampler, TokenLogProbs};
use crate::tokenizer::{Detokenizer, Tokenizer};
use burn_core::tensor::Backend;

/// A request that is decoded.
#[derive(Debug)]
pub struct SequenceState {
    pub request: RequestId,
    pub sequence: SequenceId,
    /// Tokens that the cache does not have yet: the rest of the prompt, or the last token.
    pub pending: Vec<u32>,
    /// How many of them are in the step.
    pub in_step: usize,
    sampler: Sampler,
    detokenizer: Detokenizer,
    stop: StopStrings,
    max_tokens: usize,
    ignore_end: bool,
    usage: Usage,
    #[cfg(feature = "json-schema")]
    constraint: Option<JsonConstraint>,
}

impl SequenceState {
    pub fn new<B: Backend>(
        id: RequestId,
        sequence: SequenceId,
        cached: usize,
        request: GenerationRequest,
        generator: &TextGenerator<B>,
    ) -> Result<Self, LmError> {
        let vocabulary_size = generator.model.config.vocabulary_size;
        #[cfg(feature = "json-schema")]
        let constraint = generator.constraint(&request)?;
        let mut sampler = Sampler::new(request.sampling, vocabulary_size)?;
        sampler.observe_prompt(&request.prompt);
        Ok(SequenceState {
            request: id,
            sequence,
            pending: request.prompt[cached..].to_vec(),
            in_step: 0,
            sampler,
            detokenizer: Detokenizer::default(),
            stop: StopStrings::new(request.stop),
            max_tokens: request.max_tokens,
            ignore_end: request.ignore_end,
            usage: Usage { prompt_tokens: request.prompt.len(), cached_tokens: cached, generated_tokens: 0 },
            #[cfg(feature = "json-schema")]
            constraint,
        })
    }

    /// A token, its log probabilities, and whether a text of a schema is complete with it.
    #[cfg(feature = "json-schema")]
    fn choose(&mut self, logits: &[f32]) -> Result<(u32, Option<TokenLogProbs>, bool), LmError> {
        let Some(constraint) = &mut self.constraint else {
            let (id, log_probs) = self.sampler.sample(logits);
            return Ok((id, log_probs, false));
        };
        let mut allowed = logits.to_vec();
        constraint.mask(&mut allowed)?;
        let (id, log_probs) = self.sampler.sample_allowed(logits, Some(allowed));
        let complete = constraint.accept(id)?;
        Ok((id, log_probs, complete))
    }

    #[cfg(not(feature = "json-schema"))]
    fn choose(&mut self, logits: &[f32]) -> Result<(u32, Option<TokenLogProbs>, bool), LmError> {
        let (id, log_probs) = self.sampler.sample_allowed(logits, None);
        Ok((id, log_probs, false))
    }

    /// Chooses the next token by its logits. With `false` the sequence has ended.
    pub fn advance(
        &mut self,
        logits: &[f32],
        tokenizer: &Tokenizer,
        events: &mut Vec<(RequestId, GenerationEvent)>,
    ) -> bool {
        match self.choose(logits) {
            Ok((id, log_probs, complete)) => self.take(id, log_probs, complete, tokenizer, events),
            Err(error) => {
                events.push((self.request, GenerationEvent::Failed(error)));
                false
            }
        }
    }

    /// Returns how many tokens are still to come, where the next one is the most likely whatever came before:
    /// a device can choose it.
    pub fn greedy_tokens(&self) -> Option<usize> {
        #[cfg(feature = "json-schema")]
        let is_free = self.constraint.is_none();
        #[cfg(not(feature = "json-schema"))]
        let is_free = true;
        let is_next = self.pending.len() == 1 && self.in_step == 1;
        let left = self.max_tokens - self.usage.generated_tokens;
        (is_next && is_free && self.sampler.is_greedy()).then_some(left)
    }

    /// Takes the next token, and says whether a text of a schema is complete with it. With `false` the
    /// sequence has ended.
    pub fn take(
        &mut self,
        id: u32,
        log_probs: Option<TokenLogProbs>,
        complete: bool,
        tokenizer: &Tokenizer,
        events: &mut Vec<(RequestId, GenerationEvent)>,
    ) -> bool {
        if !self.ignore_end && tokenizer.is_end(id) {
            self.finish(FinishReason::Stop, events);
            return false;
        }
        self.usage.generated_tokens += 1;
        let text = self.detokenizer.push(&tokenizer.token_bytes(id));
        let (text, stopped) = self.stop.push(&text);
        events.push((self.request, GenerationEvent::Token(Token { id, text, log_probs })));
        self.pending = vec![id];
        let reason = match (stopped || complete, self.usage.generated_tokens >= self.max_tokens) {
            (true, _) => FinishReason::Stop,
            (false, true) => FinishReason::Length,
            (false, false) => return true,
        };
        self.finish(reason, events);
        false
    }

    pub fn finish(&mut self, reason: FinishReason, events: &mut Vec<(RequestId, GenerationEvent)>) {
        let rest = self.detokenizer.finish();
        let (mut text, stopped) = self.stop.push(&rest);
        if !stopped {
            text.push_str(&self.stop.finish());
        }
        // After a stop string nothing is held back.
        events.push((self.request, GenerationEvent::Finished { reason, text, usage: self.usage }));
    }
}
