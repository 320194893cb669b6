use super::options::EngineOptions;
use super::request::{FinishReason, GenerationEvent, GenerationRequest, RequestId, Usage};
use super::sequence_state::SequenceState;
use super::text_generator::TextGenerator;
use crate::LmError;
use crate::cache::{KvCache, SequenceId};
use crate::model::{DecodeGraphs, GreedySteps};
use crate::sampling::Sampler;
use burn_core::tensor::{Backend, Int, Tensor, TensorData};
use std::collections::VecDeque;

type Events = Vec<(RequestId, GenerationEvent)>;

/// Generates several texts at once (continuous batching): a step computes one token of every sequence, and a
/// piece of the prompts that are not computed yet; requests come and go between steps.
///
/// ```no_run
/// use burn::backend::NdArray;
/// use burn::lm::{EngineOptions, GenerationEngine, GenerationEvent, GenerationRequest, TextGenerator};
///
/// let generator = TextGenerator::<NdArray>::from_path("model.gguf", &Default::default())?;
/// let prompts = ["The capital of France is", "Two and two are"];
/// let mut engine = GenerationEngine::new(generator, EngineOptions::new())?;
/// for prompt in prompts {
///     let tokens = engine.generator().tokenizer.encode(prompt, true)?;
///     engine.submit(GenerationRequest::new(tokens, 20))?;
/// }
/// while !engine.is_idle() {
///     for (request, event) in engine.step() {
///         if let GenerationEvent::Token(token) = event {
///             println!("{request:?}: {}", token.text);
///         }
///     }
/// }
/// # Ok::<(), burn::lm::LmError>(())
/// ```
#[derive(Debug)]
pub struct GenerationEngine<B: Backend> {
    generator: TextGenerator<B>,
    options: EngineOptions,
    cache: KvCache<B>,
    graphs: DecodeGraphs<B>,
    /// Steps of a sequence that is alone.
    greedy: GreedySteps,
    waiting: VecDeque<(RequestId, GenerationRequest)>,
    active: Vec<SequenceState>,
    last_id: u64,
}

impl<B: Backend> GenerationEngine<B> {
    /// Creates an engine, whose cache is allocated here.
    ///
    /// # Errors
    /// An option is 0, or there is no memory for the cache.
    pub fn new(generator: TextGenerator<B>, options: EngineOptions) -> Result<Self, LmError> {
        for (name, value) in
            [("max_sequences", options.max_sequences), ("prefill_tokens", options.prefill_tokens)]
        {
            if value == 0 {
                return Err(LmError::argument(name, "at least 1", value));
            }
        }
        let dtype = options.cache_dtype.unwrap_or(generator.model.embedding_dtype().into());
        let cache = KvCache::with_dtype(&generator.model, options.cache_positions, dtype)?;
        let graphs = DecodeGraphs::new(&generator.model.device());
        Ok(GenerationEngine {
            generator,
            options,
            cache,
            graphs,
            greedy: GreedySteps::default(),
            waiting: VecDeque::new(),
            active: Vec::new(),
            last_id: 0,
        })
    }

    /// Returns the model and the tokenizer.
    pub fn generator(&self) -> &TextGenerator<B> {
        &self.generator
    }

    /// Returns the largest number of tokens of a sequence, with the prompt: the context of the model, or the
    /// cache.
    pub fn context_length(&self) -> usize {
        self.options.cache_positions.min(self.generator.model.config.context_length)
    }

    /// Returns whether no request waits or is decoded.
    pub fn is_idle(&self) -> bool {
        self.active.is_empty() && self.waiting.is_empty()
    }

    /// Returns the numbers of requests that are decoded and that wait.
    pub fn load(&self) -> (usize, usize) {
        (self.active.len(), self.waiting.len())
    }

    /// Adds a request, which is decoded as soon as there is room.
    ///
    /// # Errors
    /// The prompt is empty, has a token that is not in the vocabulary, or does not fit the context or the
    /// cache with the tokens to generate; or an option is out of its range.
    pub fn submit(&mut self, request: GenerationRequest) -> Result<RequestId, LmError> {
        let vocabulary_size = self.generator.model.config.vocabulary_size;
        if request.max_tokens == 0 {
            return Err(LmError::argument("max_tokens", "at least 1", 0));
        }
        let (length, context) = (request.prompt.len(), self.context_length());
        if length == 0 || length.saturating_add(request.max_tokens) > context {
            let cause = format!(
                "{length} tokens and {} to generate; expected at least one, and at most {context} together",
                request.max_tokens
            );
            return Err(LmError::Prompt { cause });
        }
        if let Some(token) = request.prompt.iter().find(|token| **token as usize >= vocabulary_size) {
            return Err(LmError::argument("prompt", format!("tokens below {vocabulary_size}"), token));
        }
        Sampler::new(request.sampling.clone(), vocabulary_size)?;
        #[cfg(feature = "json-schema")]
        self.generator.constraint(&request)?;
        self.last_id += 1;
        let id = RequestId(self.last_id);
        self.waiting.push_back((id, request));
        Ok(id)
    }

    /// Ends a request and frees its memory. Returns its last event, unless it has ended before.
    pub fn cancel(&mut self, id: RequestId) -> Option<GenerationEvent> {
        if let Some(index) = self.waiting.iter().position(|(waiting, _)| *waiting == id) {
            self.waiting.remove(index);
            let (reason, usage) = (FinishReason::Cancelled, Usage::default());
            return Some(GenerationEvent::Finished { reason, text: String::new(), usage });
        }
        let index = self.active.iter().position(|active| active.request == id)?;
        let mut state = self.active.remove(index);
        self.cache.finish(state.sequence);
        let mut events = Vec::new();
        state.finish(FinishReason::Cancelled, &mut events);
        events.pop().map(|(_, event)| event)
    }

    /// Computes one step, and returns what it did for the requests. Errors of the model end all requests of
    /// the step.
    pub fn step(&mut self) -> Vec<(RequestId, GenerationEvent)> {
        let mut events = Vec::new();
        self.admit(&mut events);
        self.choose_pieces();
        if self.active.iter().all(|state| state.in_step == 0) {
            return events;
        }
        let done = self.decode_greedily(&mut events).and_then(|is_done| match is_done {
            true => Ok(()),
            false => {
                let (complete, logits) = self.decode()?;
                self.advance(&complete, logits.as_ref(), &mut events);
                Ok(())
            }
        });
        match done {
            Ok(()) => {}
            Err(error) => {
                for state in std::mem::take(&mut self.active) {
                    self.cache.finish(state.sequence);
                    events.push((state.request, GenerationEvent::Failed(error.clone())));
                }
            }
        }
        events
    }

    /// Starts requests that wait, as long as there is room.
    fn admit(&mut self, events: &mut Events) {
        while self.active.len() < self.options.max_sequences {
            let Some((id, request)) = self.waiting.front() else { return };
            let capacity = request.prompt.len() + request.max_tokens;
            let sequence = match self.cache.start(&request.prompt, capacity) {
                // The sequences that run will make room.
                Err(LmError::CacheFull { .. }) if !self.active.is_empty() => return,
                result => result,
            };
            let id = *id;
            let Some((_, request)) = self.waiting.pop_front() else { return };
            let state = sequence.and_then(|sequence| {
                let cached = self.cache.len(sequence);
                let state = SequenceState::new(id, sequence, cached, request, &self.generator);
                state.inspect_err(|_error| self.cache.finish(sequence))
            });
            match state {
                Ok(state) => self.active.push(state),
                Err(error) => events.push((id, GenerationEvent::Failed(error))),
            }
        }
    }

    /// Every sequence that generates is in a step; prompts share what `prefill_tokens` leaves, the oldest
    /// first.
    fn choose_pieces(&mut self) {
        let mut left = self.options.prefill_tokens;
        for state in &mut self.active {
            state.in_step = match state.pending.len() {
                1 => 1,
                count => count.min(left),
            };
            if state.pending.len() > 1 {
                left -= state.in_step;
            }
        }
    }

    /// Decodes all sequences where the device chooses their tokens, so that it computes the next ones while
    /// these are read; `false` if tokens of one are chosen otherwise.
    fn decode_greedily(&mut self, events: &mut Events) -> Result<bool, LmError> {
        let model = &self.generator.model;
        let left: Option<Vec<usize>> = self.active.iter().map(SequenceState::greedy_tokens).collect();
        let Some(left) = left.unwrap_or_default().into_iter().min() else {
            self.greedy.stop();
            return Ok(false);
        };
        let last: Vec<_> = self.active.iter().map(|state| (state.sequence, state.pending[0])).collect();
        let (graphs, cache) = (&mut self.graphs, &mut self.cache);
        let next = self.greedy.next((model, graphs), cache, &last, left)?;
        let Some(tokens) = next else { return Ok(false) };
        let mut tokens = tokens.into_iter();
        self.active.retain_mut(|state| {
            let token = tokens.next().expect("a token of each sequence");
            let goes_on = state.take(token, None, false, &self.generator.tokenizer, events);
            if !goes_on {
                self.cache.finish(state.sequence);
            }
            goes_on
        });
        Ok(true)
    }

    /// Computes the logits of the sequences whose pending tokens are all in the step.
    fn decode(&mut self) -> Result<(Vec<usize>, Option<TensorData>), LmError> {
        let steps: Vec<(SequenceId, &[u32])> = self
            .active
            .iter()
            .filter(|state| state.in_step > 0)
            .map(|state| (state.sequence, &state.pending[..state.in_step]))
            .collect();
        let hidden = self.graphs.decode(&self.generator.model, &steps, &mut self.cache)?;
        let (mut row, mut rows, mut complete) = (0, Vec::new(), Vec::new());
        for (index, state) in self.active.iter().enumerate() {
            row += state.in_step;
            if state.in_step > 0 && state.in_step == state.pending.len() {
                rows.push(row as i64 - 1);
                complete.push(index);
            }
        }
        if rows.is_empty() {
            return Ok((complete, None));
        }
        let all = rows.len() == row;
        let hidden = match rows[..] {
            _ if all => hidden,
            [last] => hidden.narrow(0, last as usize, 1),
            _ => {
                let count = rows.len();
                let rows = TensorData::new(rows, [count]);
                hidden.select(0, Tensor::<B, 1, Int>::from_data(rows, &self.generator.model.device()))
            }
        };
        Ok((complete, Some(self.generator.model.read_logits(hidden)?)))
    }

    fn advance(&mut self, complete: &[usize], logits: Option<&TensorData>, events: &mut Events) {
        let mut logits = logits.into_iter().flat_map(|logits| self.generator.model.logit_rows(logits));
        let mut ended = Vec::new();
        for (index, state) in self.active.iter_mut().enumerate() {
            if !complete.contains(&index) {
                state.pending.drain(..state.in_step);
                continue;
            }
            let Some(logits) = logits.next() else { continue };
            if !state.advance(logits, &self.generator.tokenizer, events) {
                ended.push(state.request);
                self.cache.finish(state.sequence);
            }
        }
        self.active.retain(|state| !ended.contains(&state.request));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn_ndarray::NdArray;

    /// Generates a text, beside which another one begins after three steps and is cancelled after five.
    fn tokens(graphs: Option<DecodeGraphs<NdArray>>) -> Vec<u32> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/chat");
        let generator = TextGenerator::from_path(folder, &Default::default()).unwrap();
        let [first, second] = ["It is a truth", "of the"].map(|text| {
            let prompt = generator.tokenizer.encode(text, true).unwrap();
            GenerationRequest::new(prompt, 12).with_ignore_end(true)
        });
        let mut engine = GenerationEngine::new(generator, EngineOptions::new()).unwrap();
        if let Some(graphs) = graphs {
            engine.graphs = graphs;
        }
        let id = engine.submit(first).unwrap();
        let (mut tokens, mut other) = (Vec::new(), None);
        for step in 0.. {
            if step == 3 {
                other = Some(engine.submit(second.clone()).unwrap());
            } else if step == 5 {
                other.and_then(|other| engine.cancel(other)).unwrap();
            }
            for (request, event) in engine.step() {
                match event {
                    GenerationEvent::Token(token) if request == id => tokens.push(token.id),
                    GenerationEvent::Failed(error) => panic!("{error}"),
                    GenerationEvent::Token(_) | GenerationEvent::Finished { .. } => {}
                }
            }
            if engine.is_idle() {
                break;
            }
        }
        tokens
    }

    #[test]
    fn tokens_that_a_device_chooses_are_those_of_the_sampler() {
        let expected = tokens(None);
        assert_eq!(expected.len(), 12);
        assert_eq!(tokens(Some(DecodeGraphs::always())), expected);
    }
}
