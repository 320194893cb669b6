use super::fixed_keys::{FixedKeys, KeyRange};
use super::{LanguageModel, RotaryTable};
use crate::LmError;
use crate::cache::{FixedStep, KvCache, SequenceId, layers, tensors};
use burn_backend::RepeatedStep;
use burn_core::tensor::{Backend, Tensor, TensorData};

/// Recorded steps that are kept: one for each set of sequences, and each 256 positions.
const KEPT: usize = 16;

/// Steps of decoding that a GPU repeats without the host, for one model that stays as it is.
#[derive(Debug)]
pub struct DecodeGraphs<B: Backend> {
    /// Those that were used last come last.
    steps: Vec<(Vec<KeyRange>, RepeatedStep<B>)>,
    is_used: bool,
}

impl<B: Backend> DecodeGraphs<B> {
    /// Without steps. Nothing is recorded where `device` repeats no launches.
    pub fn new(device: &B::Device) -> Self {
        DecodeGraphs { steps: Vec::new(), is_used: B::launch_graphs(device).is_some() }
    }

    /// Makes steps of one shape also where the device repeats no launches.
    #[cfg(test)]
    pub fn always() -> Self {
        DecodeGraphs { steps: Vec::new(), is_used: true }
    }

    /// [`LanguageModel::decode`].
    pub fn decode(
        &mut self,
        model: &LanguageModel<B>,
        steps: &[(SequenceId, &[u32])],
        cache: &mut KvCache<B>,
    ) -> Result<Tensor<B, 2>, LmError> {
        let Some(step) = self.is_used.then(|| cache.fixed_step(steps)).flatten() else {
            return model.decode(steps, cache);
        };
        model.check_tokens(steps)?;
        let tokens: Vec<usize> = steps.iter().map(|(_, tokens)| tokens[0] as usize).collect();
        let inputs = inputs(model, cache, &step, &tokens);
        let tables = cache.rotary().clone();
        let memory = cache.take_layers();
        let mut failed = None;
        let (memory, mut hidden) =
            self.repeated(&step, cache.device()).run(memory, inputs, |memory, inputs| {
                let (memory, hidden) = run(model, &tables, &step.runs, memory, inputs);
                (memory, hidden.map_err(|error| failed = Some(error)).into_iter().collect())
            });
        cache.put_layers(memory);
        if let Some(error) = failed {
            // A recording of it, if there is one, is not whole.
            self.steps.pop();
            return Err(error);
        }
        cache.commit(steps);
        Ok(Tensor::from_handle(hidden.remove(0)))
    }

    /// The step for these runs, which is then the last.
    fn repeated(&mut self, step: &FixedStep, device: &B::Device) -> &mut RepeatedStep<B> {
        let found = self.steps.iter().position(|(runs, _)| *runs == step.runs);
        let used = match found {
            Some(index) => self.steps.remove(index),
            None => (step.runs.clone(), RepeatedStep::new(device)),
        };
        if self.steps.len() >= KEPT {
            self.steps.remove(0);
        }
        self.steps.push(used);
        &mut self.steps.last_mut().expect("it was pushed").1
    }
}

/// Data that differ from step to step, in the order in which [`run`] takes them.
fn inputs<B: Backend>(
    model: &LanguageModel<B>,
    cache: &mut KvCache<B>,
    step: &FixedStep,
    tokens: &[usize],
) -> Vec<TensorData> {
    let numbers = |numbers: &[usize]| {
        let numbers: Vec<i64> = numbers.iter().map(|number| *number as i64).collect();
        let count = numbers.len();
        TensorData::new(numbers, [count]).convert::<B::IntElem>()
    };
    let mut inputs = vec![numbers(tokens), numbers(&step.places)];
    inputs.extend(model.positions.as_ref().map(|_| numbers(&step.positions)));
    for table in cache.rotary().iter_mut().flatten() {
        let rows = table.data(step.positions.iter().copied());
        inputs.extend(rows.map(TensorData::convert::<B::FloatElem>));
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
    inputs: Vec<B::Tensor>,
) -> (Vec<B::Tensor>, Result<B::Tensor, LmError>) {
    let mut inputs = inputs.into_iter();
    let mut next = || inputs.next().expect("as many inputs as were made");
    let (tokens, places) = (Tensor::from_handle(next()), Tensor::from_handle(next()));
    let positions = model.positions.as_ref().map(|_| Tensor::from_handle(next()));
    let rotary = tables.each_ref().map(|table| {
        let table = table.as_ref()?;
        let (cos, sin) = (Tensor::from_handle(next()), Tensor::from_handle(next()));
        Some(table.of_tensors(cos, sin))
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
    use burn_core::tensor::DType;
    use burn_core::tensor::quantization::BlockFormat;
    use burn_ndarray::NdArray;

    type B = NdArray;

    /// Decodes two sequences, one token at a time, with and without steps of one shape.
    fn check(config: LanguageModelConfig, dtype: CacheDtype) {
        let model: LanguageModel<B> = config.init(&Default::default()).unwrap();
        let prompts: [Vec<u32>; 2] = [(0..40).collect(), (3..8).collect()];
        let mut caches = [(); 2].map(|()| KvCache::with_dtype(&model, 640, dtype).unwrap());
        let mut graphs = DecodeGraphs::always();
        let ids = caches.each_mut().map(|cache| {
            prompts.each_ref().map(|prompt| {
                let id = cache.start(prompt, 300).unwrap();
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
}
