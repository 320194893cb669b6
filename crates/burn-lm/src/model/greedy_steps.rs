use super::{DecodeGraphs, LanguageModel};
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use burn_backend::block_on;
use burn_core::tensor::{Backend, DataError, TensorData, TensorError};
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::slice;

/// Tokens that are asked for at a time: the device computes one while the host waits for the one before.
const AHEAD: usize = 2;

type Read = Pin<Box<dyn Future<Output = Result<TensorData, DataError>> + Send>>;

/// Steps of some sequences whose tokens are chosen on the device, where the next step finds them.
#[derive(Default)]
pub struct GreedySteps {
    sequences: Vec<SequenceId>,
    /// Tokens that were asked for.
    reads: VecDeque<Read>,
    /// Whether the device has the last token that was chosen.
    goes_on: bool,
}

impl fmt::Debug for GreedySteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GreedySteps").field("sequences", &self.sequences).finish_non_exhaustive()
    }
}

impl GreedySteps {
    /// Returns the most likely token of each sequence after its last one, which the cache has then; of at
    /// most `left` tokens that the caller wants of each. `None` where the device does not repeat the step.
    pub fn next<B: Backend>(
        &mut self,
        (model, graphs): (&LanguageModel<B>, &mut DecodeGraphs<B>),
        cache: &mut KvCache<B>,
        last: &[(SequenceId, u32)],
        left: usize,
    ) -> Result<Option<Vec<u32>>, LmError> {
        if !self.sequences.iter().eq(last.iter().map(|(sequence, _)| sequence)) {
            self.stop();
            self.sequences = last.iter().map(|(sequence, _)| *sequence).collect();
        }
        let tokens = self.ask(model, graphs, cache, last, left.min(AHEAD)).and_then(|()| self.wait());
        match tokens {
            Ok(Some(_)) => cache.commit(&steps_of(last)),
            // Later tokens follow some that the caller does not get.
            Ok(None) | Err(_) => self.stop(),
        }
        tokens
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
        last: &[(SequenceId, u32)],
        count: usize,
    ) -> Result<(), LmError> {
        while self.reads.len() < count {
            let first = (!self.goes_on).then(|| last.iter().map(|(_, token)| *token as usize).collect());
            let ahead = self.reads.len();
            let Some(next) = graphs.greedy(model, &self.sequences, first, ahead, cache)? else { break };
            self.goes_on = true;
            self.reads.push_back(Box::pin(next.into_data_async()));
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<Option<Vec<u32>>, LmError> {
        let Some(read) = self.reads.pop_front() else { return Ok(None) };
        let failed = |cause: fmt::Arguments<'_>| LmError::from(TensorError::argument("greedy", cause));
        match block_on(read) {
            Ok(Ok(data)) => Ok(Some(data.iter::<i64>().map(|token| token as u32).collect())),
            Ok(Err(error)) => Err(failed(format_args!("{error}"))),
            Err(_pending) => Err(failed(format_args!("this platform cannot wait for the device"))),
        }
    }
}

/// The last token of each sequence as a step.
pub fn steps_of(last: &[(SequenceId, u32)]) -> Vec<(SequenceId, &[u32])> {
    last.iter().map(|(sequence, token)| (*sequence, slice::from_ref(token))).collect()
}
