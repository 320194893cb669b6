use super::{DecodeGraphs, LanguageModel};
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use burn_backend::block_on;
use burn_core::tensor::{Backend, DataError, TensorData, TensorError};
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;

/// Tokens that are asked for at a time: the device computes one while the host waits for the one before.
const AHEAD: usize = 2;

type Read = Pin<Box<dyn Future<Output = Result<TensorData, DataError>> + Send>>;

/// Steps of one sequence whose tokens are chosen on the device, where the next step finds them.
#[derive(Default)]
pub struct GreedySteps {
    sequence: Option<SequenceId>,
    /// Tokens that were asked for.
    reads: VecDeque<Read>,
    /// Whether the device has the last token that was chosen.
    goes_on: bool,
}

impl fmt::Debug for GreedySteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GreedySteps").field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

impl GreedySteps {
    /// Returns the most likely token after `last`, which the cache has then; of at most `left` tokens that
    /// the caller wants. `None` where the device does not repeat the step.
    pub fn next<B: Backend>(
        &mut self,
        (model, graphs): (&LanguageModel<B>, &mut DecodeGraphs<B>),
        cache: &mut KvCache<B>,
        sequence: SequenceId,
        last: u32,
        left: usize,
    ) -> Result<Option<u32>, LmError> {
        if self.sequence != Some(sequence) {
            self.stop();
            self.sequence = Some(sequence);
        }
        let token = self.ask(model, graphs, cache, last, left.min(AHEAD)).and_then(|()| self.wait());
        match token {
            Ok(Some(_)) => cache.commit(&[(sequence, &[last])]),
            // Later tokens follow one that the caller does not get.
            Ok(None) | Err(_) => self.stop(),
        }
        token
    }

    /// Forgets what was asked for.
    pub fn stop(&mut self) {
        *self = GreedySteps::default();
    }

    fn ask<B: Backend>(
        &mut self,
        model: &LanguageModel<B>,
        graphs: &mut DecodeGraphs<B>,
        cache: &mut KvCache<B>,
        last: u32,
        count: usize,
    ) -> Result<(), LmError> {
        let Some(sequence) = self.sequence else { return Ok(()) };
        while self.reads.len() < count {
            let first = (!self.goes_on).then_some(last);
            let Some(next) = graphs.greedy(model, sequence, first, self.reads.len(), cache)? else { break };
            self.goes_on = true;
            self.reads.push_back(Box::pin(next.into_data_async()));
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<Option<u32>, LmError> {
        let Some(read) = self.reads.pop_front() else { return Ok(None) };
        let failed = |cause: fmt::Arguments<'_>| LmError::from(TensorError::argument("greedy", cause));
        match block_on(read) {
            Ok(Ok(data)) => Ok(data.iter::<i64>().next().map(|token| token as u32)),
            Ok(Err(error)) => Err(failed(format_args!("{error}"))),
            Err(_pending) => Err(failed(format_args!("this platform cannot wait for the device"))),
        }
    }
}
