//! Repetition of recorded operations.

use crate::budget::Budget;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{
    Backend, Block, BlockHead, BlockStep, Creation, Operation, Outputs, Register, Shape, TensorData,
    TensorSpec, block_on, kernel_error,
};
use std::ops::Range;

/// Source of a tensor of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TapeSource {
    /// Among the constants of the tape.
    Constant(usize),
    /// Among the tensors of the run.
    Slot(usize),
}

/// Tensor that a step takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taken {
    pub(super) source: TapeSource,
    /// Whether nothing takes it later: the operation gets it as its only holder, so that it may write over
    /// it.
    pub(super) is_last: bool,
}

/// Step of a tape.
#[derive(Clone, Debug)]
pub(super) enum TapeStep {
    Call {
        operation: Operation<Taken>,
        /// Slots of the results, and their specs.
        results: Vec<usize>,
        specs: Vec<TensorSpec>,
        /// Whether a later step or the outputs take them.
        is_taken: Vec<bool>,
    },
    Create {
        creation: Creation,
        result: usize,
    },
    Check {
        indices: TapeSource,
        size: usize,
    },
}

/// Steps without a choice between them.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) steps: Vec<TapeStep>,
    /// Everything that was noted here, in order: what the steps and the constants of a path come to.
    pub(super) made: Vec<TapeSource>,
    /// Steps that run as blocks, in order.
    pub(super) joined: Vec<Joined>,
    pub(super) end: End,
}

/// Steps of a segment that run as one block.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) range: Range<usize>,
    pub(super) head: BlockHead<Taken>,
    pub(super) inputs: Vec<Taken>,
    pub(super) steps: Vec<BlockStep<Register>>,
    pub(super) shape: Shape,
    pub(super) specs: Vec<TensorSpec>,
    /// Slots of the results that later steps take, and their registers.
    pub(super) results: Vec<usize>,
    pub(super) outputs: Vec<Register>,
}

impl Joined {
    /// Returns the block with its operands.
    fn block<T>(&self, take: &mut impl FnMut(Taken) -> T) -> Block<T> {
        let head = self.head.clone().map(&mut *take);
        Block {
            shape: self.shape.clone(),
            folded: 0,
            head: Some(head),
            inputs: self.inputs.iter().map(|&taken| take(taken)).collect(),
            steps: self.steps.clone(),
            specs: self.specs.clone(),
            outputs: self.outputs.clone(),
        }
    }
}

/// End of a segment.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// The run has its outputs.
    Outputs(Vec<TapeSource>),
    /// The elements of a tensor decide which segment follows.
    Read { tensor: Taken, next: Vec<(TensorData, usize)> },
}

/// Operations of the runs with inputs of some shapes: one list of steps, which divides where elements are
/// read that decide what follows, as the condition of a branch or of a loop does.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    /// Segments; each comes after the one that leads to it.
    pub(super) segments: Vec<Segment>,
    pub(super) constants: Vec<DynamicTensor>,
    /// Number of tensors of a run.
    pub(super) slots: usize,
    /// Number of steps of all segments.
    pub(super) steps: usize,
}

/// Result of a repetition.
#[derive(Debug)]
pub(super) enum Repeated {
    Outputs(Vec<DynamicTensor>),
    /// Elements were read that no run before has met.
    Unknown,
    /// An operation failed, or the run was cancelled.
    Failed,
}

impl Tape {
    /// Computes the outputs from the tensors that are given.
    pub(super) fn run(&self, given: &[DynamicTensor], device: &DynamicDevice, budget: &Budget) -> Repeated {
        let mut repeated = Repeated::Failed;
        let caught = kernel_error::catch(&mut || {
            let mut run = Run { tape: self, tensors: vec![None; self.slots] };
            run.tensors.iter_mut().zip(given).for_each(|(slot, tensor)| *slot = Some(tensor.clone()));
            repeated = run.repeat(device, budget).unwrap_or(Repeated::Failed);
        });
        if caught.is_err() { Repeated::Failed } else { repeated }
    }
}

struct Run<'a> {
    tape: &'a Tape,
    tensors: Vec<Option<DynamicTensor>>,
}

impl Run<'_> {
    /// None if a check fails, a tensor cannot be read, or the run is cancelled.
    fn repeat(&mut self, device: &DynamicDevice, budget: &Budget) -> Option<Repeated> {
        let mut segment = self.tape.segments.first()?;
        loop {
            let (mut next, mut joined) = (0, segment.joined.iter().peekable());
            while next < segment.steps.len() {
                budget.go_on().ok()?;
                if let Some(block) = joined.next_if(|block| block.range.start == next) {
                    self.block(block);
                    next = block.range.end;
                } else {
                    self.step(&segment.steps[next], device)?;
                    next += 1;
                }
            }
            match &segment.end {
                End::Outputs(outputs) => {
                    return Some(Repeated::Outputs(outputs.iter().map(|&source| self.get(source)).collect()));
                }
                End::Read { tensor, next } => {
                    let found = read(self.take(*tensor))?;
                    let Some((_, place)) = next.iter().find(|(data, _)| *data == found) else {
                        return Some(Repeated::Unknown);
                    };
                    segment = &self.tape.segments[*place];
                }
            }
        }
    }

    fn step(&mut self, step: &TapeStep, device: &DynamicDevice) -> Option<()> {
        match step {
            TapeStep::Call { operation, results, is_taken, .. } => {
                let outputs: Outputs<DynamicTensor> =
                    Dynamic::execute(operation.map_ref(|&taken| self.take(taken)));
                let mut result = results.iter().zip(is_taken);
                outputs.map(|tensor| {
                    if let Some((&slot, true)) = result.next() {
                        self.tensors[slot] = Some(tensor);
                    }
                });
            }
            TapeStep::Create { creation, result } => {
                self.tensors[*result] = Some(Dynamic::create(creation.clone(), device));
            }
            TapeStep::Check { indices, size } => {
                let indices = read(self.get(*indices))?;
                let is_below = |index: i64| usize::try_from(index).is_ok_and(|index| index < *size);
                if !indices.iter::<i64>().all(is_below) {
                    return None;
                }
            }
        }
        Some(())
    }

    fn block(&mut self, joined: &Joined) {
        let outputs = Dynamic::run_block(joined.block(&mut |taken| self.take(taken)));
        for (&slot, tensor) in joined.results.iter().zip(outputs) {
            self.tensors[slot] = Some(tensor);
        }
    }

    fn get(&self, source: TapeSource) -> DynamicTensor {
        match source {
            TapeSource::Constant(place) => self.tape.constants[place].clone(),
            TapeSource::Slot(slot) => {
                self.tensors[slot].clone().expect("a tensor stays until it is taken for the last time")
            }
        }
    }

    fn take(&mut self, taken: Taken) -> DynamicTensor {
        match taken.source {
            TapeSource::Slot(slot) if taken.is_last => {
                self.tensors[slot].take().expect("a tensor stays until it is taken for the last time")
            }
            source => self.get(source),
        }
    }
}

fn read(tensor: DynamicTensor) -> Option<TensorData> {
    block_on(Dynamic::into_data(tensor)).ok()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::notes::{MOST_STEPS, Notes};
    use crate::tape::recorder::{RecordedTensor, Recorder, RecorderDevice, read_value};
    use crate::{CancelToken, Limits};
    use burn_backend::Distribution;
    use burn_ndarray::NdArray;
    use burn_tensor::Tensor;
    use burn_tensor::ops::ConvOptions;

    fn device() -> DynamicDevice {
        DynamicDevice::new::<NdArray>(Default::default())
    }

    fn given(values: [f32; 2]) -> DynamicTensor {
        Tensor::<Dynamic, 1>::from_data(values, &device()).into_handle()
    }

    fn noted(x: [f32; 2], notes: &Notes) -> Tensor<Recorder, 1> {
        Tensor::from_handle(RecordedTensor::new(given(x), notes.given(), notes.clone()))
    }

    fn below(notes: &Notes) -> RecorderDevice {
        RecorderDevice { device: device(), notes: notes.clone() }
    }

    fn tape(notes: &Notes, outputs: &[&Tensor<Recorder, 1>]) -> Option<Tape> {
        let path = notes.finish(1, outputs.iter().map(|x| x.handle().number).collect())?;
        let mut tape = Tape::default();
        tape.insert(path)?;
        Some(tape)
    }

    fn data(x: DynamicTensor) -> TensorData {
        block_on(Dynamic::into_data(x)).expect("at once").expect("data can be read")
    }

    fn repeated(tape: &Tape, x: [f32; 2]) -> Vec<TensorData> {
        match tape.run(&[given(x)], &device(), &Budget::default()) {
            Repeated::Outputs(outputs) => outputs.into_iter().map(data).collect(),
            other => panic!("expected outputs, found {other:?}"),
        }
    }

    #[test]
    fn operands_that_come_twice_and_outputs_that_are_taken_stay() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes);
        let y = x.clone() * x.clone();
        let z = y.clone().exp() - y.clone();
        let _unused = z.clone().sin();
        let tape = tape(&notes, &[&x, &y, &z, &z]).expect("nothing was read");
        let unused = tape.segments[0].steps.last();
        assert!(
            matches!(unused, Some(TapeStep::Call { is_taken, .. }) if *is_taken == [false]),
            "{unused:?}"
        );
        for _ in 0..2 {
            let z = [0.25_f32.exp() - 0.25, 9.0_f32.exp() - 9.0];
            let [x, y, first, second] = repeated(&tape, [0.5, -3.0]).try_into().expect("four outputs");
            assert_eq!((x, y), (TensorData::from([0.5_f32, -3.0]), TensorData::from([0.25_f32, 9.0])));
            first.assert_approx_eq::<f32>(&TensorData::from(z), Default::default());
            assert_eq!(first, second);
        }
    }

    #[test]
    fn what_depends_on_constants_alone_is_computed_once_and_random_numbers_again() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes);
        let drawn = Tensor::<Recorder, 1>::random([2], Distribution::Uniform(0.0, 1.0), &below(&notes));
        let three = Tensor::<Recorder, 1>::full([2], 2.0, &below(&notes)).add_scalar(1.0);
        let tape = tape(&notes, &[&x.mul(three), &drawn]).expect("nothing was read");
        // The product and the random numbers.
        assert_eq!((tape.segments[0].steps.len(), tape.constants.len()), (2, 2));
        let [first, second] = [[5.0, 7.0], [1.0, 0.0]].map(|x| repeated(&tape, x));
        assert_eq!(
            [&first[0], &second[0]],
            [&TensorData::from([15.0_f32, 21.0]), &TensorData::from([3.0_f32, 0.0])]
        );
        assert_ne!(first[1], second[1]);
    }

    #[test]
    fn elements_that_are_read_choose_the_steps_that_follow() {
        let mut tape = Tape::default();
        let run = |x: [f32; 2]| {
            let notes = Notes::default();
            let x = noted(x, &notes);
            let is_large = x.clone().sum().greater_elem(10.0);
            let read = read_value(&DynamicTensor::new::<Recorder>(is_large.into_handle()));
            let is_large =
                read.expect("at once").expect("data can be read").iter::<bool>().all(|large| large);
            let y = if is_large { x.clone() - x.clone().exp() } else { x.clone() * 2.0 };
            notes.finish(1, vec![y.handle().number]).expect("one condition is read")
        };
        tape.insert(run([1.0, 2.0])).expect("it is the first run");
        assert_eq!(repeated(&tape, [3.0, 4.0]), [TensorData::from([6.0_f32, 8.0])]);
        let large = [given([20.0, 0.0])];
        assert!(matches!(tape.run(&large, &device(), &Budget::default()), Repeated::Unknown));
        tape.insert(run([11.0, 0.0])).expect("it differs by what it reads");
        let steps = tape.steps;
        tape.insert(run([5.0, 1.0])).expect("it is the first run again");
        assert_eq!((tape.steps, tape.segments.len()), (steps, 3));
        let large = [20.0 - 20.0_f32.exp(), -1.0];
        repeated(&tape, [20.0, 0.0])[0].assert_approx_eq::<f32>(&TensorData::from(large), Default::default());
        assert_eq!(repeated(&tape, [-1.0, 4.0]), [TensorData::from([-2.0_f32, 8.0])]);
    }

    #[test]
    fn indices_are_checked_by_every_run() {
        let notes = Notes::default();
        let x = noted([0.0, 1.0], &notes);
        let table = Tensor::<Recorder, 1>::from_data([5.0, 6.0, 7.0], &below(&notes));
        let selected = table.try_select(0, x.int()).expect("the indices are in range");
        let tape = tape(&notes, &[&selected]).expect("what is read are indices");
        assert_eq!(repeated(&tape, [2.0, 0.0]), [TensorData::from([7.0_f32, 5.0])]);
        for outside in [[0.0, 3.0], [-1.0, 0.0]] {
            let run = tape.run(&[given(outside)], &device(), &Budget::default());
            assert!(matches!(run, Repeated::Failed), "{run:?}");
        }
    }

    #[test]
    fn convolutions_run_with_the_operations_on_their_elements() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes).reshape([1, 1, 2]);
        let weight = Tensor::<Recorder, 3>::from_data([[[-2.0]]], &below(&notes));
        let y = x.try_conv(weight, None, ConvOptions::new(1)).expect("the kernel fits");
        // The result of the convolution is an output, that of `relu` is not.
        let z = burn_tensor::activation::relu(y.clone()) + y.clone();
        let (y, z) = (y.reshape([2]), z.reshape([2]));
        let tape = tape(&notes, &[&y, &z]).expect("nothing was read");
        let joined: Vec<_> = tape.segments[0].joined.iter().map(|block| block.range.len()).collect();
        assert_eq!(joined, [3]);
        for _ in 0..2 {
            let (y, z) = (TensorData::from([2.0_f32, -6.0]), TensorData::from([4.0_f32, -6.0]));
            assert_eq!(repeated(&tape, [-1.0, 3.0]), [y, z]);
        }
    }

    #[test]
    fn a_run_of_too_many_steps_has_no_tape() {
        let of = |steps: usize| {
            let notes = Notes::default();
            let mut x = noted([1.0, 2.0], &notes);
            for _ in 0..steps {
                x = x.neg();
            }
            tape(&notes, &[&x]).is_some()
        };
        assert!(of(1000));
        assert!(!of(MOST_STEPS + 1));
    }

    #[test]
    fn a_tape_ends_when_it_is_cancelled() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes).exp();
        let tape = tape(&notes, &[&x]).expect("nothing was read");
        let token = CancelToken::new();
        let budget = Budget::new(&Limits::default(), &token);
        let run = || tape.run(&[given([1.0, 2.0])], &device(), &budget);
        assert!(matches!(run(), Repeated::Outputs(_)));
        token.cancel();
        assert!(matches!(run(), Repeated::Failed));
    }

    #[test]
    fn runs_that_read_or_move_tensors_have_no_tape() {
        let refused = |run: &dyn Fn(Tensor<Recorder, 1>)| {
            let notes = Notes::default();
            let x = noted([1.0, 2.0], &notes);
            run(x.clone());
            tape(&notes, &[&x]).is_none()
        };
        assert!(!refused(&|x| drop(x.exp())));
        assert!(refused(&|x| drop(x.into_data())));
        assert!(refused(&|x| drop(x.greater_elem(1.5).argwhere())));
        assert!(refused(&|x| drop(x.detach())));
    }

    #[test]
    fn constants_are_not_overwritten() {
        let notes = Notes::default();
        let x = noted([1.0, 2.0], &notes);
        let ones = Tensor::<Recorder, 1>::ones([2], &below(&notes));
        let y = ones.add(x).exp();
        let tape = tape(&notes, &[&y]).expect("nothing was read");
        assert_eq!(y.shape(), [2].into());
        let [first, second] = [0, 1].map(|_| repeated(&tape, [0.0, 1.0]));
        assert_eq!(first, second);
    }
}
