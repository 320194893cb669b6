//! Last uses of the tensors of a tape.

use super::replay::{End, Segment, Taken, Tape, TapeSource, TapeStep};
use std::collections::HashSet;

impl Tape {
    /// Marks operands that no later step takes, in whichever segment, and results that none takes at all.
    pub(super) fn mark_last_uses(&mut self) {
        // Slots that each segment takes from those before it.
        let mut taken: Vec<HashSet<usize>> = vec![HashSet::new(); self.segments.len()];
        for place in (0..self.segments.len()).rev() {
            // A segment follows one other, so that its slots move on.
            let mut later = HashSet::new();
            let Segment { steps, end, .. } = &mut self.segments[place];
            match end {
                End::Outputs(outputs) => later.extend(outputs.iter().filter_map(|output| output.slot())),
                End::Read { tensor, next } => {
                    for (_, following) in next {
                        let slots = std::mem::take(&mut taken[*following]);
                        if later.is_empty() {
                            later = slots;
                        } else {
                            later.extend(slots);
                        }
                    }
                    tensor.mark(&mut later);
                }
            }
            steps.iter_mut().rev().for_each(|step| step.mark(&mut later));
            taken[place] = later;
        }
    }
}

impl TapeSource {
    fn slot(self) -> Option<usize> {
        match self {
            TapeSource::Slot(slot) => Some(slot),
            TapeSource::Constant(_) => None,
        }
    }
}

impl Taken {
    fn mark(&mut self, later: &mut HashSet<usize>) {
        self.is_last = self.source.slot().is_some_and(|slot| later.insert(slot));
    }
}

impl TapeStep {
    /// Marks the operands and the results, of which `later` steps take some.
    fn mark(&mut self, later: &mut HashSet<usize>) {
        match self {
            TapeStep::Call { operation, results, is_taken, .. } => {
                for (is_taken, slot) in is_taken.iter_mut().zip(results) {
                    *is_taken = later.remove(slot);
                }
                let mut operands = Vec::new();
                operation.visit(|&taken| operands.push(taken));
                operands.iter_mut().rev().for_each(|taken| taken.mark(later));
                // Operands are visited in the same order again.
                let mut marked = operands.into_iter();
                *operation = operation.map_ref(|&taken| marked.next().unwrap_or(taken));
            }
            TapeStep::Create { result, .. } => drop(later.remove(result)),
            TapeStep::Check { indices, .. } => drop(indices.slot().map(|slot| later.insert(slot))),
        }
    }
}
