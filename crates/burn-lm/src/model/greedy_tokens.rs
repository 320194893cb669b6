use super::greedy_steps::steps_of;
use super::{DecodeGraphs, GreedySteps, LanguageModel};
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use burn_core::tensor::{Backend, Int, Tensor};

/// The most likely tokens of a sequence, one after the other, which
/// [`StepDecoder::greedy`](crate::StepDecoder::greedy) returns.
///
/// A token is in the cache once the next one was returned.
#[derive(Debug)]
pub struct GreedyTokens<'a, B: Backend>(pub(super) GreedyTokenRows<'a, B>);

/// The most likely tokens of some sequences, one of each after the other, which
/// [`StepDecoder::greedy_rows`](crate::StepDecoder::greedy_rows) returns.
///
/// Tokens are in the cache once the next ones were returned.
#[derive(Debug)]
pub struct GreedyTokenRows<'a, B: Backend> {
    model: &'a LanguageModel<B>,
    graphs: &'a mut DecodeGraphs<B>,
    cache: &'a mut KvCache<B>,
    /// The last token of each sequence, which is not in the cache yet.
    last: Vec<(SequenceId, u32)>,
    /// Rows that are not returned yet.
    left: usize,
    steps: GreedySteps,
}

impl<'a, B: Backend> GreedyTokenRows<'a, B> {
    pub(super) fn new(
        (model, graphs): (&'a LanguageModel<B>, &'a mut DecodeGraphs<B>),
        cache: &'a mut KvCache<B>,
        last: &[(SequenceId, u32)],
        count: usize,
    ) -> Self {
        let steps = GreedySteps::default();
        GreedyTokenRows { model, graphs, cache, last: last.to_vec(), left: count, steps }
    }

    fn tokens(&mut self) -> Result<Vec<u32>, LmError> {
        let model = self.model;
        if let Some(tokens) = self.steps.next((model, self.graphs), self.cache, &self.last, self.left)? {
            return Ok(tokens);
        }
        let hidden = self.graphs.decode(model, &steps_of(&self.last), self.cache)?;
        let next: Tensor<B, 2, Int> = model.logits(hidden).argmax(1);
        Ok(next.try_into_data()?.iter::<i64>().map(|token| token as u32).collect())
    }
}

impl<B: Backend> Iterator for GreedyTokenRows<'_, B> {
    type Item = Result<Vec<u32>, LmError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left.checked_sub(1)?;
        let tokens = self.tokens();
        match &tokens {
            Ok(tokens) => {
                self.last.iter_mut().zip(tokens).for_each(|((_, last), token)| *last = *token);
                self.left -= 1;
            }
            Err(_) => self.left = 0,
        }
        Some(tokens)
    }
}

impl<B: Backend> Iterator for GreedyTokens<'_, B> {
    type Item = Result<u32, LmError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(|tokens| tokens[0]))
    }
}
