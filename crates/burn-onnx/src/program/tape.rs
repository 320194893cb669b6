//! Operations of a run, and their repetition without the statements they came from.

use crate::budget::Budget;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{Backend, Creation, Operation, kernel_error};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug)]
enum Step<T> {
    Call(Operation<T>),
    Create(Creation),
}

/// The most steps that are noted.
const MOST_STEPS: usize = 1 << 16;

/// Notes of a run: tensors have numbers, first those that are given, then those that steps make.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    steps: Vec<Step<usize>>,
    tensors: usize,
    is_refused: bool,
}

impl Noted {
    /// Adds a step. Where they are too many, as those of a loop that runs long, there are no notes.
    fn push(&mut self, step: Step<usize>) {
        if self.steps.len() >= MOST_STEPS {
            self.is_refused = true;
            self.steps = Vec::new();
        }
        if !self.is_refused {
            self.steps.push(step);
        }
    }

    fn number(&mut self) -> usize {
        self.tensors += 1;
        self.tensors - 1
    }
}

impl Notes {
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of a tensor that is new.
    pub(super) fn number(&self) -> usize {
        self.noted().number()
    }

    /// Notes a call, of tensors by their numbers.
    pub(super) fn note_call(&self, call: Operation<usize>) {
        self.noted().push(Step::Call(call));
    }

    pub(super) fn note_creation(&self, creation: Creation) {
        self.noted().push(Step::Create(creation));
    }

    /// Notes that the steps alone are not the run.
    pub(super) fn refuse(&self) {
        self.noted().is_refused = true;
    }

    /// The tape that computes the tensors of these numbers, if the steps say how.
    pub(super) fn finish(&self, outputs: Vec<usize>) -> Option<Tape> {
        let mut noted = self.noted();
        let (steps, tensors) = (std::mem::take(&mut noted.steps), noted.tensors);
        (!noted.is_refused).then(|| Tape::new(steps, tensors, outputs))
    }
}

/// Tensor that a step takes.
#[derive(Clone, Copy, Debug)]
struct Taken {
    number: usize,
    /// Whether nothing takes it later: the operation gets it as its only holder, so that it may write over
    /// it.
    is_last: bool,
}

/// Operations of a run.
#[derive(Debug)]
pub(super) struct Tape {
    steps: Vec<Step<Taken>>,
    /// For each tensor, whether a step or the outputs take it.
    is_taken: Vec<bool>,
    outputs: Vec<usize>,
}

impl Tape {
    fn new(steps: Vec<Step<usize>>, tensors: usize, outputs: Vec<usize>) -> Self {
        let mut is_taken = vec![false; tensors];
        outputs.iter().for_each(|&output| is_taken[output] = true);
        let mut marked: Vec<Step<Taken>> = steps
            .into_iter()
            .rev()
            .map(|step| match step {
                Step::Create(creation) => Step::Create(creation),
                Step::Call(op) => {
                    let mut numbers = Vec::new();
                    op.visit(|&number| numbers.push(number));
                    let last =
                        numbers.iter().rev().map(|&number| !std::mem::replace(&mut is_taken[number], true));
                    let mut last: Vec<bool> = last.collect();
                    // Operands are visited in the same order again.
                    Step::Call(op.map(|number| Taken { number, is_last: last.pop().unwrap_or(false) }))
                }
            })
            .collect();
        marked.reverse();
        Tape { steps: marked, is_taken, outputs }
    }

    /// Computes the outputs from the tensors that are given, in the order of their numbers. None if an
    /// operation fails or the run is cancelled.
    pub(super) fn run(
        &self,
        given: impl Iterator<Item = DynamicTensor>,
        device: &DynamicDevice,
        budget: &Budget,
    ) -> Option<Vec<DynamicTensor>> {
        let (mut given, mut outputs) = (Some(given), None);
        let repeat = &mut || outputs = given.take().map(|given| self.repeat(given, device, budget));
        kernel_error::catch(repeat).ok()?;
        outputs?
    }

    fn repeat(
        &self,
        given: impl Iterator<Item = DynamicTensor>,
        device: &DynamicDevice,
        budget: &Budget,
    ) -> Option<Vec<DynamicTensor>> {
        let mut tensors: Vec<Option<DynamicTensor>> = Vec::with_capacity(self.is_taken.len());
        tensors.extend(given.map(Some));
        for step in &self.steps {
            budget.go_on().ok()?;
            let outputs = match step {
                Step::Create(creation) => Dynamic::create(creation.clone(), device).into(),
                Step::Call(op) => Dynamic::execute(op.map_ref(|taken| {
                    let tensor = &mut tensors[taken.number];
                    let tensor = if taken.is_last { tensor.take() } else { tensor.clone() };
                    tensor.expect("a tensor stays until it is taken for the last time")
                })),
            };
            outputs.map(|tensor| tensors.push(self.is_taken[tensors.len()].then_some(tensor)));
        }
        let output = |&number: &usize| tensors[number].clone().expect("outputs stay");
        Some(self.outputs.iter().map(output).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::recorder::{Recorder, RecorderDevice};
    use crate::{CancelToken, Limits};
    use burn_backend::{Distribution, block_on};
    use burn_ndarray::NdArray;
    use burn_tensor::{Tensor, TensorData};

    fn device() -> DynamicDevice {
        DynamicDevice::new::<NdArray>(Default::default())
    }

    fn given(values: [f32; 2]) -> DynamicTensor {
        Tensor::<Dynamic, 1>::from_data(values, &device()).into_handle()
    }

    fn noted(x: [f32; 2], notes: &Notes) -> Tensor<Recorder, 1> {
        Tensor::from_handle(notes.hold(given(x)))
    }

    fn data(x: DynamicTensor) -> TensorData {
        block_on(Dynamic::into_data(x)).expect("at once").expect("data can be read")
    }

    fn repeated(tape: &Tape, x: [f32; 2]) -> Vec<TensorData> {
        let outputs =
            tape.run([given(x)].into_iter(), &device(), &Budget::default()).expect("no operation fails");
        outputs.into_iter().map(data).collect()
    }

    #[test]
    fn operands_that_come_twice_and_outputs_that_are_taken_stay() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes);
        let y = x.clone() * x.clone();
        let z = y.clone().exp() - y.clone();
        let dead = z.clone().sin();
        let numbers = [&x, &y, &z, &z].map(|x| x.handle().number).to_vec();
        let tape = notes.finish(numbers).expect("nothing was read");
        assert!(!tape.is_taken[dead.handle().number]);
        for _ in 0..2 {
            let z = [0.25_f32.exp() - 0.25, 9.0_f32.exp() - 9.0];
            let [x, y, first, second] = repeated(&tape, [0.5, -3.0]).try_into().expect("four outputs");
            assert_eq!((x, y), (TensorData::from([0.5_f32, -3.0]), TensorData::from([0.25_f32, 9.0])));
            first.assert_approx_eq::<f32>(&TensorData::from(z), Default::default());
            assert_eq!(first, second);
        }
    }

    #[test]
    fn created_tensors_are_created_again() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes);
        let device = RecorderDevice { device: device(), notes: notes.clone() };
        let drawn = Tensor::<Recorder, 1>::random([2], Distribution::Uniform(0.0, 1.0), &device);
        let y = x.mul(Tensor::<Recorder, 1>::full([2], 3.0, &device));
        let tape = notes.finish(vec![y.handle().number, drawn.handle().number]).expect("nothing was read");
        let [first, second] = [[5.0, 7.0], [1.0, 0.0]].map(|x| repeated(&tape, x));
        assert_eq!(
            [&first[0], &second[0]],
            [&TensorData::from([15.0_f32, 21.0]), &TensorData::from([3.0_f32, 0.0])]
        );
        assert_ne!(first[1], second[1]);
    }

    #[test]
    fn a_run_of_too_many_steps_has_no_tape() {
        let of = |steps: usize| {
            let notes = Notes::default();
            let mut x = noted([1.0, 2.0], &notes);
            for _ in 0..steps {
                x = x.neg();
            }
            notes.finish(vec![x.handle().number]).is_some()
        };
        assert!(of(1000));
        assert!(!of(MOST_STEPS + 1));
    }

    #[test]
    fn a_tape_ends_when_it_is_cancelled() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes).exp();
        let tape = notes.finish(vec![x.handle().number]).expect("nothing was read");
        let token = CancelToken::new();
        let budget = Budget::new(&Limits::default(), &token);
        assert!(tape.run([given([1.0, 2.0])].into_iter(), &device(), &budget).is_some());
        token.cancel();
        assert!(tape.run([given([1.0, 2.0])].into_iter(), &device(), &budget).is_none());
    }

    #[test]
    fn runs_that_read_or_move_tensors_have_no_tape() {
        let refused = |run: &dyn Fn(Tensor<Recorder, 1>)| {
            let notes = Notes::default();
            let x = noted([1.0, 2.0], &notes);
            run(x.clone());
            notes.finish(vec![x.handle().number]).is_none()
        };
        assert!(!refused(&|x| drop(x.exp())));
        assert!(refused(&|x| drop(x.into_data())));
        assert!(refused(&|x| drop(x.greater_elem(1.5).argwhere())));
        assert!(refused(&|x| drop(x.detach())));
    }
}
