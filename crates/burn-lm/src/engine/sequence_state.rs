use super::request::{FinishReason, GenerationEvent, GenerationRequest, RequestId, Token, Usage};
use super::stop_strings::StopStrings;
use crate::LmError;
use crate::cache::SequenceId;
use crate::sampling::Sampler;
use crate::tokenizer::{Detokenizer, Tokenizer};

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
}

impl SequenceState {
    pub fn new(
        id: RequestId,
        sequence: SequenceId,
        cached: usize,
        request: GenerationRequest,
        vocabulary_size: usize,
    ) -> Result<Self, LmError> {
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
        })
    }

    /// Chooses the next token by its logits. With `None` the sequence goes on.
    pub fn advance(
        &mut self,
        logits: &[f32],
        tokenizer: &Tokenizer,
        events: &mut Vec<(RequestId, GenerationEvent)>,
    ) -> Option<FinishReason> {
        let (id, log_probs) = self.sampler.sample(logits);
        if !self.ignore_end && tokenizer.is_end(id) {
            self.finish(FinishReason::Stop, events);
            return Some(FinishReason::Stop);
        }
        self.usage.generated_tokens += 1;
        let text = self.detokenizer.push(&tokenizer.token_bytes(id));
        let (text, stopped) = self.stop.push(&text);
        events.push((self.request, GenerationEvent::Token(Token { id, text, log_probs })));
        self.pending = vec![id];
        let reason = match (stopped, self.usage.generated_tokens >= self.max_tokens) {
            (true, _) => FinishReason::Stop,
            (false, true) => FinishReason::Length,
            (false, false) => return None,
        };
        self.finish(reason, events);
        Some(reason)
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
