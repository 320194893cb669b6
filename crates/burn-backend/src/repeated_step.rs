use crate::dynamic::DynamicTensor;
use crate::{Backend, HasSpec, LaunchGraph, LaunchGraphs, TensorData, TensorSpec};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use burn_ir::Creation;

/// State and outputs of a step.
pub type StepResults<T> = (Vec<T>, Vec<T>);

/// Step that a program makes again and again with other numbers, which a GPU repeats without the host: its
/// launches are recorded once.
///
/// The first call runs the step as usual, the second one records it, and those after it launch the recorded
/// graph, which takes the host some microseconds whatever the number of kernels. On backends without launch
/// graphs ([`Backend::launch_graphs`]) every call runs the step. PyTorch:
/// `torch.cuda.make_graphed_callables`.
///
/// - *State* goes into a call and comes out updated, such as the keys and values of a cache. Its tensors are
///   updated in place; otherwise nothing is recorded.
/// - *Inputs* are data of the host that differ from call to call.
/// - Whatever else the step uses (weights, numbers) stays as it was when it was recorded.
///
/// The step may read no values, and all calls have the same shapes and do the same operations.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::tensor::backend::{Backend, RepeatedStep};
/// use burn::tensor::{Tensor, TensorData};
///
/// fn total<B: Backend>(device: &B::Device) -> f32 {
///     let mut step = RepeatedStep::<B>::new(device);
///     let mut state = vec![Tensor::<B, 1>::zeros([1], device).into_handle()];
///     for i in 1..=4 {
///         let input = TensorData::from([i as f32]);
///         let (next, _outputs) = step.run(state, vec![input], |mut state, mut inputs| {
///             let sum = Tensor::<B, 1>::from_handle(state.remove(0));
///             let x = Tensor::<B, 1>::from_handle(inputs.remove(0));
///             (vec![(sum + x).into_handle()], vec![])
///         });
///         state = next;
///     }
///     Tensor::<B, 1>::from_handle(state.remove(0)).into_scalar().elem()
/// }
/// use burn::tensor::ElementConversion;
/// assert_eq!(total::<NdArray>(&Default::default()), 10.0);
/// ```
#[derive(Debug)]
pub struct RepeatedStep<B: Backend> {
    device: B::Device,
    graphs: Option<Box<dyn LaunchGraphs>>,
    /// Specs of the state and the inputs of the first call.
    specs: Option<[Vec<TensorSpec>; 2]>,
    recorded: Option<Recorded>,
}

/// A graph, and the tensors at the places that it reads and writes.
#[derive(Debug)]
struct Recorded {
    graph: Box<dyn LaunchGraph>,
    inputs: Vec<DynamicTensor>,
    outputs: Vec<DynamicTensor>,
}

impl<B: Backend> RepeatedStep<B> {
    /// Returns a step that is not recorded yet.
    pub fn new(device: &B::Device) -> Self {
        RepeatedStep { device: device.clone(), graphs: B::launch_graphs(device), specs: None, recorded: None }
    }

    /// Returns whether the step was recorded.
    pub fn is_recorded(&self) -> bool {
        self.recorded.is_some()
    }

    /// Makes the step: computes state and outputs from state and inputs. `step` may be called twice, with the
    /// same values, where it cannot be recorded.
    ///
    /// # Panics
    /// When the specs of state or inputs are not those of the first call.
    #[track_caller]
    pub fn run(
        &mut self,
        state: Vec<B::Tensor>,
        inputs: Vec<TensorData>,
        mut step: impl FnMut(Vec<B::Tensor>, Vec<B::Tensor>) -> StepResults<B::Tensor>,
    ) -> StepResults<B::Tensor> {
        let specs = [
            state.iter().map(|x| x.spec().clone()).collect(),
            inputs.iter().map(|data| TensorSpec::new(data.shape.clone(), data.dtype)).collect(),
        ];
        let is_first = self.specs.is_none();
        let first = self.specs.get_or_insert_with(|| specs.clone());
        assert!(*first == specs, "RepeatedStep: expected state and inputs of {first:?}, got {specs:?}");
        let create = |data| B::create(Creation::Data(data), &self.device);
        let Some(graphs) = self.graphs.as_deref().filter(|_| !is_first) else {
            return step(state, inputs.into_iter().map(create).collect());
        };
        self.recorded.take_if(|recorded| recorded.graph.has_copied());
        if let Some(recorded) = &self.recorded {
            recorded.inputs.iter().zip(inputs).for_each(|(place, data)| graphs.write(place, data));
            return recorded.launch::<B>(graphs, state);
        }
        let inputs: Vec<B::Tensor> = inputs.into_iter().map(create).collect();
        let (state, recorded) = record::<B>(graphs, state, &inputs, &mut step);
        match recorded {
            Some(recorded) => {
                let results = recorded.launch::<B>(graphs, state);
                self.recorded = Some(recorded);
                results
            }
            None => {
                self.graphs = None;
                step(state, inputs)
            }
        }
    }
}

impl Recorded {
    fn launch<B: Backend>(&self, graphs: &dyn LaunchGraphs, state: Vec<B::Tensor>) -> StepResults<B::Tensor> {
        let state = graphs.owned(state.into_iter().map(DynamicTensor::new::<B>).collect());
        self.graph.launch(&state);
        // The next launch writes to the same places.
        let outputs = self.outputs.iter().map(|x| graphs.copy(x).into_inner::<B>()).collect();
        (state.into_iter().map(DynamicTensor::into_inner::<B>).collect(), outputs)
    }
}

/// Ends a recording whose step panicked.
struct Recording<'a> {
    graphs: &'a dyn LaunchGraphs,
    is_finished: bool,
}

impl Recording<'_> {
    fn finish(mut self, state: &[DynamicTensor]) -> Result<Box<dyn LaunchGraph>, String> {
        self.is_finished = true;
        self.graphs.finish(state)
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            // Nothing is left of the graph.
            let _ = self.graphs.finish(&[]);
        }
    }
}

/// Records `step`; nothing where that is not possible. The state has the values that it had.
fn record<B: Backend>(
    graphs: &dyn LaunchGraphs,
    state: Vec<B::Tensor>,
    inputs: &[B::Tensor],
    step: &mut impl FnMut(Vec<B::Tensor>, Vec<B::Tensor>) -> StepResults<B::Tensor>,
) -> (Vec<B::Tensor>, Option<Recorded>) {
    let state = graphs.owned(state.into_iter().map(DynamicTensor::new::<B>).collect());
    let started = graphs.start(&state);
    let state = state.into_iter().map(DynamicTensor::into_inner::<B>).collect();
    if started.is_err() {
        return (state, None);
    }
    let recording = Recording { graphs, is_finished: false };
    let (state, outputs) = step(state, inputs.to_vec());
    let state: Vec<DynamicTensor> = state.into_iter().map(DynamicTensor::new::<B>).collect();
    let outputs: Vec<DynamicTensor> = outputs.into_iter().map(DynamicTensor::new::<B>).collect();
    // Lazy backends launch what the outputs need before the graph ends.
    let graph = recording.finish(&state).ok();
    let inputs = inputs.iter().cloned().map(DynamicTensor::new::<B>).collect();
    let recorded = graph.map(|graph| Recorded { graph, inputs, outputs });
    (state.into_iter().map(DynamicTensor::into_inner::<B>).collect(), recorded)
}
