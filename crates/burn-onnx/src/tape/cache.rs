//! Tapes of a model: one for each device and set of shapes that inputs come with again and again.

use super::notes::Notes;
use super::recorder::{RecordedTensor, Recorder, RecorderDevice};
use super::replay::{Repeated, Tape};
use crate::budget::Budget;
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::{HasSpec, TensorSpec};
use std::sync::{Arc, Mutex, PoisonError};

/// Most tapes of a model: those of sequences meet many lengths.
const MOST: usize = 16;

/// Tapes by device and shapes.
#[derive(Debug, Default)]
pub(crate) struct Tapes {
    entries: Mutex<Vec<Entry>>,
    /// Whether the first run with inputs of some shapes is recorded.
    is_eager: bool,
}

#[derive(Debug)]
struct Entry {
    device: DynamicDevice,
    specs: Vec<TensorSpec>,
    /// The way of the next run with such inputs.
    next: Next,
}

#[derive(Clone, Debug)]
enum Next {
    /// Without a tape.
    Pass,
    /// Recorded: inputs of these shapes have come before.
    Record,
    /// By the tape.
    Repeat(Arc<Tape>),
}

/// A run without a tape: how its constants and inputs are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    notes: Option<Notes>,
}

impl Pass {
    /// Whether the run is recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.notes.is_some()
    }

    /// A tensor that is the same in every run.
    pub(crate) fn constant(&self, tensor: &DynamicTensor) -> DynamicTensor {
        match &self.notes {
            Some(notes) => recorded(tensor.clone(), notes.constant(tensor.clone()), notes),
            None => tensor.clone(),
        }
    }
}

fn recorded(tensor: DynamicTensor, number: usize, notes: &Notes) -> DynamicTensor {
    DynamicTensor::new::<Recorder>(RecordedTensor::new(tensor, number, notes.clone()))
}

/// Computes the outputs from inputs on a device, without a tape.
pub(crate) type Compute<'a, E> =
    &'a mut dyn FnMut(&[DynamicTensor], &DynamicDevice, &Pass, &mut Budget) -> Result<Vec<DynamicTensor>, E>;

impl Entry {
    fn is_of(&self, device: &DynamicDevice, inputs: &[DynamicTensor]) -> bool {
        self.specs.len() == inputs.len()
            && self.specs.iter().zip(inputs).all(|(spec, input)| spec == input.spec())
            && self.device == *device
    }
}

impl Tapes {
    /// Tapes that are recorded by the first run with inputs of some shapes, instead of the second.
    pub(crate) fn eager() -> Self {
        Tapes { is_eager: true, ..Self::default() }
    }

    /// Computes the outputs: by the tape of these shapes, if there is one. The first run with inputs of some
    /// shapes computes them, and the second records them, as later ones do that read elements which no run
    /// before has met.
    ///
    /// # Errors
    /// Those of `compute`.
    pub(crate) fn run<E>(
        &self,
        inputs: &[DynamicTensor],
        device: &DynamicDevice,
        budget: &mut Budget,
        compute: Compute<'_, E>,
    ) -> Result<Vec<DynamicTensor>, E> {
        let tape = match self.next(device, inputs) {
            Next::Pass => return compute(inputs, device, &Pass::default(), budget),
            Next::Record => Tape::default(),
            Next::Repeat(tape) => match tape.run(inputs, device, budget) {
                Repeated::Outputs(outputs) => return Ok(outputs),
                // The error is that of a statement.
                Repeated::Failed => return compute(inputs, device, &Pass::default(), budget),
                Repeated::Unknown => {
                    self.set(device, inputs, Next::Pass);
                    Arc::unwrap_or_clone(tape)
                }
            },
        };
        self.record(tape, inputs, device, budget, compute)
    }

    /// Computes the outputs and adds the run to a tape, if its operations are all that it does. What reads
    /// values for another reason than to choose what follows, or to check indices, has none.
    fn record<E>(
        &self,
        mut tape: Tape,
        inputs: &[DynamicTensor],
        device: &DynamicDevice,
        budget: &mut Budget,
        compute: Compute<'_, E>,
    ) -> Result<Vec<DynamicTensor>, E> {
        let notes = Notes::default();
        let given: Vec<_> =
            inputs.iter().map(|tensor| recorded(tensor.clone(), notes.given(), &notes)).collect();
        let below = RecorderDevice { device: device.clone(), notes: notes.clone() };
        let pass = Pass { notes: Some(notes.clone()) };
        let outputs = compute(&given, &DynamicDevice::new::<Recorder>(below), &pass, budget)?;
        let outputs = outputs.into_iter().map(DynamicTensor::into_inner::<Recorder>);
        let (outputs, numbers) = outputs.map(|output| (output.tensor, output.number)).unzip();
        let inserted = notes.finish(inputs.len(), numbers).and_then(|path| tape.insert(path));
        if inserted.is_some() {
            self.set(device, inputs, Next::Repeat(Arc::new(tape)));
        }
        Ok(outputs)
    }

    /// How a run with these inputs goes.
    fn next(&self, device: &DynamicDevice, inputs: &[DynamicTensor]) -> Next {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.is_of(device, inputs)) {
            let next = entry.next.clone();
            // Another run at the same time does not record as well, nor does one after a run that fails.
            if let Next::Record = next {
                entry.next = Next::Pass;
            }
            return next;
        }
        if entries.len() == MOST {
            entries.remove(0);
        }
        let specs = inputs.iter().map(|input| input.spec().clone()).collect();
        let (next, now) = if self.is_eager { (Next::Pass, Next::Record) } else { (Next::Record, Next::Pass) };
        entries.push(Entry { device: device.clone(), specs, next });
        now
    }

    fn set(&self, device: &DynamicDevice, inputs: &[DynamicTensor], next: Next) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.is_of(device, inputs)) {
            entry.next = next;
        }
    }

    /// Number of tapes.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter(|entry| matches!(entry.next, Next::Repeat(_))).count()
    }
}
