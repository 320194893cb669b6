//! Tapes of a plan: one for each device and set of shapes that inputs come with again and again.

use super::tape::Tape;
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_ir::{HasSpec, TensorSpec};
use std::sync::{Arc, Mutex, PoisonError};

/// Most tapes of a plan: models of sequences meet many lengths.
const MOST: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Tapes(Mutex<Vec<Entry>>);

#[derive(Debug)]
struct Entry {
    device: DynamicDevice,
    specs: Vec<TensorSpec>,
    /// Returns how the next run with such inputs goes.
    next: Next,
}

/// The way of a run.
#[derive(Clone, Debug)]
pub(super) enum Next {
    /// The statements of the program.
    Statements,
    /// The statements, and notes of their operations: inputs of these shapes have come before.
    Record,
    /// The operations alone.
    Repeat(Arc<Tape>),
}

impl Entry {
    fn is_of(&self, device: &DynamicDevice, inputs: &[DynamicTensor]) -> bool {
        self.specs.len() == inputs.len()
            && self.specs.iter().zip(inputs).all(|(spec, input)| spec == input.spec())
            && self.device == *device
    }
}

impl Tapes {
    /// Returns what a run with these inputs does.
    pub(super) fn next(&self, device: &DynamicDevice, inputs: &[DynamicTensor]) -> Next {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.is_of(device, inputs)) {
            let next = entry.next.clone();
            // Another run at the same time does not record as well, nor does one after a run that fails.
            if let Next::Record = next {
                entry.next = Next::Statements;
            }
            return next;
        }
        if entries.len() == MOST {
            entries.remove(0);
        }
        let specs = inputs.iter().map(|input| input.spec().clone()).collect();
        entries.push(Entry { device: device.clone(), specs, next: Next::Record });
        Next::Statements
    }

    /// Keeps a tape for inputs like these.
    pub(super) fn keep(&self, device: &DynamicDevice, inputs: &[DynamicTensor], tape: Tape) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.is_of(device, inputs)) {
            entry.next = Next::Repeat(Arc::new(tape));
        }
    }

    /// Number of tapes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().filter(|entry| matches!(entry.next, Next::Repeat(_))).count()
    }
}
