use super::generation_engine::GenerationEngine;
use super::options::EngineOptions;
use super::request::{FinishReason, GenerationEvent, GenerationRequest, Token, Usage};
use super::text_generator::TextGenerator;
use crate::LmError;
use burn_core::tensor::Backend;
use std::collections::VecDeque;

/// The tokens of one text as they are generated; made by [`TextGenerator::generate`]. Text that was held back
/// when the model ends its text comes in an item of its own, with the number of the last token.
#[derive(Debug)]
pub struct Generation<B: Backend> {
    engine: GenerationEngine<B>,
    events: VecDeque<GenerationEvent>,
    ended: Option<(FinishReason, Usage)>,
    last: u32,
}

impl<B: Backend> Generation<B> {
    fn new(generator: TextGenerator<B>, request: GenerationRequest) -> Result<Self, LmError> {
        let context = generator.model.config.context_length;
        let positions = request.prompt.len().saturating_add(request.max_tokens).min(context);
        let options = EngineOptions::new().with_cache_positions(positions.max(1));
        let mut engine = GenerationEngine::new(generator, options)?;
        engine.submit(request)?;
        Ok(Generation { engine, events: VecDeque::new(), ended: None, last: 0 })
    }

    /// Returns why the text has ended, and the numbers of its tokens; `None` as long as it has not.
    pub fn finish(&self) -> Option<(FinishReason, Usage)> {
        self.ended
    }

    /// Generates the rest, and returns its text.
    ///
    /// # Errors
    /// A tensor operation fails.
    pub fn into_text(self) -> Result<String, LmError> {
        self.map(|token| token.map(|token| token.text)).collect()
    }
}

impl<B: Backend> TextGenerator<B> {
    /// Continues a prompt, token by token.
    ///
    /// # Errors
    /// As [`GenerationEngine::submit`](super::GenerationEngine::submit).
    pub fn generate(&self, request: GenerationRequest) -> Result<Generation<B>, LmError> {
        Generation::new(self.clone(), request)
    }
}

impl<B: Backend> Iterator for Generation<B> {
    type Item = Result<Token, LmError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.events.is_empty() && !self.engine.is_idle() {
                self.events.extend(self.engine.step().into_iter().map(|(_, event)| event));
            }
            match self.events.pop_front()? {
                GenerationEvent::Failed(error) => return Some(Err(error)),
                GenerationEvent::Token(mut token) => {
                    self.last = token.id;
                    if let Some(GenerationEvent::Finished { text, .. }) = self.events.front_mut() {
                        token.text.push_str(&std::mem::take(text));
                    }
                    return Some(Ok(token));
                }
                GenerationEvent::Finished { reason, text, usage } => {
                    self.ended = Some((reason, usage));
                    if !text.is_empty() {
                        let id = self.last;
                        return Some(Ok(Token { id, text, log_probs: None }));
                    }
                }
            }
        }
    }
}
