use super::fixed_keys::{FixedKeys, KeyRange};
use super::{LanguageModel, RotaryTable};
use crate::LmError;
use crate::cache::{FixedStep, KvCache, SequenceId, layers, tensors};
use burn_backend::RepeatedStep;
use burn_core::tensor::{Backend, Int, Tensor, TensorData};

/// Recorded steps that are kept: one for each set of sequences, and each 256 positions.
const KEPT: usize = 16;

/// Steps of decoding that a GPU repeats without the host, for one model that stays as it is.
#[derive(Debug)]
pub struct DecodeGraphs<B: Backend> {
    /// Those that were used last come last.
    steps: Vec<(StepKind, RepeatedStep<B>)>,
    /// The last tokens of sequences that are decoded greedily, always at the same place.
    tokens: Option<Tensor<B, 1, Int>>,
    is_used: bool,
}

/// Kind of a recorded step: two of one kind have the same launches.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StepKind {
    runs: Vec<KeyRange>,
    /// Whether the step chooses the next tokens.
    is_greedy: bool,
}

impl<B: Backend> DecodeGraphs<B> {
    /// Without steps. Nothing is recorded where `device` repeats no launches.
    pub fn new(device: &B::Device) -> Self {
        DecodeGraphs { steps: Vec::new(), tokens: None, is_used: B::launch_graphs(device).is_some() }
    }

    /// Makes steps of one shape also where the device repeats no launches.
    #[cfg(test)]
    pub fn always() -> Self {
        DecodeGraphs { steps: Vec::new(), tokens: None, is_used: true }
    }

    /// [`LanguageModel::decode`].
    pub fn decode(
        &mut self,
        model: &LanguageModel<B>,
        steps: &[(SequenceId, &[u32])],
        cache: &mut KvCache<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let is_single = steps.iter().all(|(_, tokens)| tokens.len() == 1);
        let sequences: Vec<SequenceId> = steps.iter().map(|(sequence, _)| *sequence).collect();
        let planned = if self.is_used && is_single { cache.fixed_step(&sequences, 0) } else { None };
        let Some(step) = planned else { return model.decode(steps, cache) };
        model.check_tokens(steps)?;
        let tokens: Vec<usize> = steps.iter().map(|(_, tokens)| tokens[0] as usize).collect();
        let mut inputs = inputs(model, cache, &step);
        inputs.insert(0, numbers::<B>(&tokens));
        let tables = cache.rotary().clone();
        let kind = StepKind { runs: step.runs, is_greedy: false };
        let memory = cache.take_layers();
        let (memory, hidden) = self.run(&kind, cache.device(), memory, inputs, |memory, mut inputs| {
            let tokens = inputs.remove(0);
            run(model, &tables, &kind.runs, memory, tokens, inputs)
        });
        cache.put_layers(memory);
        let hidden = hidden?;
        cache.commit(steps);
        Ok(Tensor::from_handle(hidden))
    }

    /// Decodes the tokens of these sequences that the last call chose, or `first`, and chooses the next ones:
    /// the most likely. They are not committed, and `ahead` tokens of each sequence are not either. `None`
    /// where that is no step of fixed shape.
    pub fn greedy(
        &mut self,
        model: &LanguageModel<B>,
        sequences: &[SequenceId],
        first: Option<Vec<usize>>,
        ahead: usize,
        cache: &mut KvCache<B>,
    ) -> Result<Option<Tensor<B, 1, Int>>, LmError> {
        let planned = if self.is_used { cache.fixed_step(sequences, ahead) } else { None };
        let Some(step) = planned else { return Ok(None) };
        let inputs = inputs(model, cache, &step);
        let tables = cache.rotary().clone();
        let kind = StepKind { runs: step.runs, is_greedy: true };
        let count = sequences.len();
        let tokens = self.last_tokens(count, first, cache.device());
        let mut memory = cache.take_layers();
        memory.push(tokens.into_handle());
        let (mut memory, next) = self.run(&kind, cache.device(), memory, inputs, |mut memory, inputs| {
            let tokens = Tensor::<B, 1, Int>::from_handle(memory.pop().expect("the tokens"));
            let handle = tokens.clone().into_handle();
            let (mut memory, hidden) = run(model, &tables, &kind.runs, memory, handle, inputs);
            let next = hidden.map(|hidden| {
                model.logits(Tensor::from_handle(hidden)).argmax(1).reshape([count]).cast(tokens.dtype())
            });
            match next {
                Ok(next) => {
                    memory.push(tokens.slice_assign(0..count, next.clone()).into_handle());
                    (memory, Ok(next.into_handle()))
                }
                Err(error) => {
                    memory.push(tokens.into_handle());
                    (memory, Err(error))
                }
            }
        });
        self.tokens = memory.pop().map(Tensor::from_handle);
        cache.put_layers(memory);
        next.map(|next| Some(Tensor::from_handle(next)))
    }

    /// The place of the last tokens, with `first` if there are some.
    fn last_tokens(
        &mut self,
        count: usize,
        first: Option<Vec<usize>>,
        device: &B::Device,
    ) -> Tensor<B, 1, Int> {
        let first = first.map(|tokens| Tensor::from_data(numbers::<B>(&tokens), device));
        match (self.tokens.take().filter(|tokens| tokens.dims() == [count]), first) {
            (Some(tokens), Some(first)) => tokens.slice_assign(0..count, first),
            (Some(tokens), None) | (None, Some(tokens)) => tokens,
            (None, None) => Tensor::zeros([count], device),
        }
    }

    /// Runs a step, which is not kept where it fails.
    fn run(
        &mut self,
        kind: &StepKind,
        device: &B::Device,
        memory: Vec<B::Tensor>,
        inputs: Vec<TensorData>,
        mut step: impl FnMut(Vec<B::Tensor>, Vec<B::Tensor>) -> (Vec<B::Tensor>, Result<B::Tensor, LmError>),
    ) -> (Vec<B::Tensor>, Result<B::Tensor, LmError>) {
        let mut failed = None;
        let (memory, mut results) = self.repeated(kind, device).run(memory, inputs, |memory, inputs| {
            let (memory, result) = step(memory, inputs);
            (memory, result.map_err(|error| failed = Some(error)).into_iter().collect())
        });
        match failed {
            Some(error) => {
                // A recording of it, if there is one, is not whole.
                self.steps.pop();
                (memory, Err(error))
            }
            None => (memory, Ok(results.remove(0))),
        }
    }

    /// The step of this kind, which is then the last.
    fn repeated(&mut self, kind: &StepKind, device: &B::Device) -> &mut RepeatedStep<B> {
        let found = self.steps.iter().position(|(other, _)| other == kind);
        let used = match found {
            Some(index) => self.steps.remove(index),
            None => (kind.clone(), RepeatedStep::new(device)),
        };
        if self.steps.len() >= KEPT {
            self.steps.remove(0);
        }
        self.steps.push(used);
        &mut self.steps.last_mut().expect("it was pushed").1
    }
}

fn numbers<B: Backend>(numbers: &[usize]) -> TensorData {
    let numbers: Vec<i64> = numbers.iter().map(|number| *number as i64).collect();
    let count = numbers.len();
    TensorData::new(numbers, [count]).convert::<B::IntElem>()
}

/// Data that differ from step to step besides tokens, in the order in which [`run`] takes them.
fn inputs<B: Backend>(model: &LanguageModel<B>, cache: &mut KvCache<B>, step: &FixedStep) -> Vec<TensorData> {
    let numbers = numbers::<B>;
    let mut inputs = vec![numbers(&step.places)];
    inputs.extend(model.positions.as_ref().map(|_| numbers(&step.positions)));
    for table in cache.rotary().iter_mut().flatten() {
        inputs.push(table.data(step.positions.iter().copied()).convert::<B::FloatElem>());
    }
    inputs.extend(step.hidden().into_iter().flatten());
    inputs
}

/// Makes a step: the memory and the hidden states after it.
fn run<B: Backend>(
    model: &LanguageModel<B>,
    tables: &[Option<RotaryTable>; 2],
    runs: &[KeyRange],
    memory: Vec<B::Tensor>,
    tokens: B::Tensor,
    inputs: Vec<B::Tensor>,
) -> (Vec<B::Tensor>, Result<B::Tensor, LmError>) {
    let mut inputs = inputs.into_iter();
    let mut next = || inputs.next().expect("as many inputs as were made");
    let (tokens, places) = (Tensor::from_handle(tokens), Tensor::from_handle(next()));
    let positions = model.positions.as_ref().map(|_| Tensor::from_handle(next()));
    let rotary = tables.each_ref().map(|table| {
        let table = table.as_ref()?;
        Some(table.of_table(Tensor::from_handle(next())))
    });
    let hidden = [Some(Tensor::from_handle(next())), inputs.next().map(Tensor::from_handle)];
    let memory = layers(memory, model.blocks.len());
    let mut keys = FixedKeys { memory, places, runs: runs.to_vec(), hidden };
    let hidden = model.decode_fixed(tokens, positions, &rotary, &mut keys);
    (tensors(keys.memory.into_iter().flatten()), hidden.map(Tensor::into_handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CacheDtype;
    use crate::config::{LanguageModelConfig, RopeConfig};
    use crate::model::GreedySteps;
    use burn_core::tensor::DType;
    use burn_core::tensor::quantization::BlockFormat;
    use burn_ndarray::NdArray;

    type B = NdArray;

    /// Decodes two sequences, one token at a time, with and without steps of one shape.
    fn check(config: LanguageModelConfig, dtype: CacheDtype) {
        check_with_room(config, dtype, [300, 300]);
    }

    /// As [`check`], with room for so many tokens of each sequence.
    fn check_with_room(config: LanguageModelConfig, dtype: CacheDtype, room: [usize; 2]) {
        let model: LanguageModel<B> = config.init(&Default::default()).unwrap();
        let prompts: [Vec<u32>; 2] = [(0..40).collect(), (3..8).collect()];
        let mut caches = [(); 2].map(|()| KvCache::with_dtype(&model, 640, dtype).unwrap());
        let mut graphs = DecodeGraphs::always();
        let ids = caches.each_mut().map(|cache| {
            [0, 1].map(|sequence| {
                let prompt = &prompts[sequence];
                let id = cache.start(prompt, room[sequence]).unwrap();
                model.decode(&[(id, prompt)], cache).unwrap();
                id
            })
        });
        for token in 0..6 {
            let tokens = [[token], [token + 7]];
            let count = 1 + usize::from(token > 2);
            let [fixed, plain] = [0, 1].map(|which| {
                let steps: Vec<_> =
                    ids[which].iter().zip(&tokens).map(|(id, token)| (*id, &token[..])).take(count).collect();
                match which {
                    0 => graphs.decode(&model, &steps, &mut caches[0]),
                    _ => model.decode(&steps, &mut caches[1]),
                }
                .unwrap()
            });
            assert_eq!(fixed.dims(), [count, model.config.d_model]);
            assert!(fixed.all_close(plain, Some(1e-4), Some(1e-5)), "token {token}");
        }
        // One sequence, then both.
        assert_eq!(graphs.steps.len(), 2);
        assert_eq!(caches[0].len(ids[0][0]), 46);
    }

    fn config() -> LanguageModelConfig {
        LanguageModelConfig::new(60, 16, 2, 4, 32).with_n_key_value_heads(Some(2))
    }

    #[test]
    fn steps_of_one_shape_are_those_of_any_shape() {
        check(config(), DType::F32.into());
    }

    #[test]
    fn sequences_with_different_numbers_of_keys_are_read_one_by_one() {
        check_with_room(config(), DType::F32.into(), [300, 20]);
    }

    #[test]
    fn quantized_keys_are_written_at_places() {
        let config = LanguageModelConfig::new(60, 128, 2, 4, 32).with_n_key_value_heads(Some(2));
        check(config, BlockFormat::Q8_0.into());
    }

    #[test]
    fn windows_and_their_rotations_are_kept() {
        let rope = RopeConfig::new().with_theta(500.0);
        check(
            config()
                .with_sliding_window(Some(16))
                .with_window_layers(vec![0])
                .with_window_rope(Some(rope))
                .with_attention_soft_cap(Some(5.0)),
            DType::F32.into(),
        );
    }

    #[test]
    fn learned_positions_are_looked_up() {
        check(config().with_rope(None).with_learned_positions(true), DType::F32.into());
    }

    #[test]
    fn what_has_no_fixed_shape_is_decoded_as_always() {
        let model: LanguageModel<B> = config().init(&Default::default()).unwrap();
        let mut cache = KvCache::new(&model, 64).unwrap();
        let mut graphs = DecodeGraphs::always();
        let id = cache.start(&[1, 2, 3], 5).unwrap();
        graphs.decode(&model, &[(id, &[1, 2, 3])], &mut cache).unwrap();
        assert!(graphs.steps.is_empty());
        graphs.decode(&model, &[(id, &[4])], &mut cache).unwrap();
        assert_eq!(graphs.steps.len(), 1);
        graphs.decode(&model, &[(id, &[5])], &mut cache).unwrap();
        let full = graphs.decode(&model, &[(id, &[6])], &mut cache).unwrap_err();
        assert!(full.to_string().contains("expected 1 to 0 tokens"), "{full}");
        let unknown = graphs.decode(&model, &[(id, &[60])], &mut cache).unwrap_err();
        assert!(unknown.to_string().contains("tokens"), "{unknown}");
        assert_eq!(cache.len(id), 5);
    }

    /// Decodes a sequence greedily in steps of one shape and as always, over the end of a piece of keys.
    #[test]
    fn chosen_tokens_are_the_most_likely() {
        let model: LanguageModel<B> = config().init(&Default::default()).unwrap();
        let prompt: Vec<u32> = (0..250).map(|position| position % 60).collect();
        let mut caches = [(); 2].map(|()| KvCache::new(&model, 640).unwrap());
        let ids = caches.each_mut().map(|cache| {
            let id = cache.start(&prompt, 300).unwrap();
            model.decode(&[(id, &prompt)], cache).unwrap();
            id
        });
        let (mut graphs, mut steps) = (DecodeGraphs::always(), GreedySteps::default());
        let mut last = 7;
        for left in (1..=12).rev() {
            let parts = (&model, &mut graphs);
            let token = steps.next(parts, &mut caches[0], &[(ids[0], last)], left).unwrap();
            let hidden = model.decode(&[(ids[1], &[last])], &mut caches[1]).unwrap();
            let expected = model.logits(hidden).argmax(1).into_data().to_f64()[0] as u32;
            assert_eq!(token, Some(vec![expected]), "{left} tokens before the end");
            assert_eq!(caches[0].len(ids[0]), caches[1].len(ids[1]));
            last = expected;
            if left == 5 {
                // Another step comes between, and what was asked for is forgotten.
                steps.stop();
            }
        }
        assert_eq!(graphs.steps.len(), 2);
    }

    /// Decodes two sequences greedily in steps of one shape, and each as always. One ends before the other.
    #[test]
    fn chosen_tokens_of_several_sequences_are_the_most_likely() {
        let model: LanguageModel<B> = config().init(&Default::default()).unwrap();
        let mut caches = [(); 2].map(|()| KvCache::new(&model, 640).unwrap());
        let prompts: [Vec<u32>; 2] = [(0..40).collect(), (3..8).collect()];
        let ids = caches.each_mut().map(|cache| {
            prompts.each_ref().map(|prompt| {
                let id = cache.start(prompt, 300).unwrap();
                model.decode(&[(id, prompt)], cache).unwrap();
                id
            })
        });
        let (mut graphs, mut steps) = (DecodeGraphs::always(), GreedySteps::default());
        let mut last = vec![7, 9];
        for left in (1..=9).rev() {
            if left == 4 {
                last.pop();
            }
            let asked: Vec<_> = ids[0].iter().copied().zip(last.iter().copied()).collect();
            let parts = (&model, &mut graphs);
            let tokens = steps.next(parts, &mut caches[0], &asked, left).unwrap().unwrap();
            let expected = ids[1].iter().zip(&last).map(|(id, last)| {
                let hidden = model.decode(&[(*id, &[*last])], &mut caches[1]).unwrap();
                model.logits(hidden).argmax(1).into_data().to_f64()[0] as u32
            });
            last = expected.collect();
            assert_eq!(tokens, last, "{left} tokens before the end");
            assert_eq!(ids[0].map(|id| caches[0].len(id)), ids[1].map(|id| caches[1].len(id)));
        }
    }

    #[test]
    fn no_token_is_chosen_behind_the_room_of_a_sequence() {
        let model: LanguageModel<B> = config().init(&Default::default()).unwrap();
        let mut cache = KvCache::new(&model, 64).unwrap();
        let (mut graphs, mut steps) = (DecodeGraphs::always(), GreedySteps::default());
        let id = cache.start(&[1, 2], 3).unwrap();
        model.decode(&[(id, &[1, 2])], &mut cache).unwrap();
        let token = steps.next((&model, &mut graphs), &mut cache, &[(id, 3)], 9).unwrap().unwrap()[0];
        assert_eq!(steps.next((&model, &mut graphs), &mut cache, &[(id, token)], 8).unwrap(), None);
        assert_eq!(cache.len(id), 3);
    }
}
