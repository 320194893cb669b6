use super::{DecodeGraphs, GreedySteps, LanguageModel};
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use burn_core::tensor::{Backend, Int, Tensor};

/// The most likely tokens of a sequence, one after the other, which
/// [`StepDecoder::greedy`](crate::StepDecoder::greedy) returns.
///
/// A token is in the cache once the next one was returned.
#[derive(Debug)]
pub struct GreedyTokens<'a, B: Backend> {
    model: &'a LanguageModel<B>,
    graphs: &'a mut DecodeGraphs<B>,
    cache: &'a mut KvCache<B>,
    sequence: SequenceId,
    /// The last token, which is not in the cache yet.
    last: u32,
    /// Tokens that are not returned yet.
    left: usize,
    steps: GreedySteps,
}

impl<'a, B: Backend> GreedyTokens<'a, B> {
    pub(super) fn new(
        (model, graphs): (&'a LanguageModel<B>, &'a mut DecodeGraphs<B>),
        cache: &'a mut KvCache<B>,
        sequence: SequenceId,
        last: u32,
        count: usize,
    ) -> Self {
        GreedyTokens { model, graphs, cache, sequence, last, left: count, steps: GreedySteps::default() }
    }

    fn token(&mut self) -> Result<u32, LmError> {
        let (model, sequence, last) = (self.model, self.sequence, self.last);
        if let Some(token) = self.steps.next((model, self.graphs), self.cache, sequence, last, self.left)? {
            return Ok(token);
        }
        let hidden = self.graphs.decode(model, &[(sequence, &[last])], self.cache)?;
        let next: Tensor<B, 2, Int> = model.logits(hidden).argmax(1);
        Ok(next.try_into_data()?.iter::<i64>().next().expect("one token") as u32)
    }
}

impl<B: Backend> Iterator for GreedyTokens<'_, B> {
    type Item = Result<u32, LmError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left.checked_sub(1)?;
        let token = self.token();
        match &token {
            Ok(token) => (self.last, self.left) = (*token, self.left - 1),
            Err(_) => self.left = 0,
        }
        Some(token)
    }
}
