//! Convolutions of a tape with the elementwise operations after them, as blocks that a backend may compute in
//! one pass.

use super::replay::{Joined, Segment, Taken, Tape, TapeSource, TapeStep};
use burn_backend::{BlockHead, BlockStep, HasSpec, Register, TensorSpec};
use std::collections::HashMap;

/// Most elementwise operations of a block.
const MOST: usize = 8;

impl Tape {
    /// Finds the steps that run as blocks.
    pub(super) fn join_steps(&mut self) {
        let mut specs: HashMap<TapeSource, TensorSpec> = HashMap::new();
        for (place, tensor) in self.constants.iter().enumerate() {
            specs.insert(TapeSource::Constant(place), tensor.spec().clone());
        }
        let calls = self.segments.iter().flat_map(|segment| &segment.steps);
        for step in calls {
            if let TapeStep::Call { results, specs: found, .. } = step {
                specs.extend(results.iter().map(|&slot| TapeSource::Slot(slot)).zip(found.iter().cloned()));
            }
        }
        for segment in &mut self.segments {
            segment.join_steps(&specs);
        }
    }
}

impl Segment {
    fn join_steps(&mut self, specs: &HashMap<TapeSource, TensorSpec>) {
        self.joined.clear();
        let mut next = 0;
        while next < self.steps.len() {
            match joined(&self.steps, next, specs) {
                Some(block) => {
                    next = block.range.end;
                    self.joined.push(block);
                }
                None => next += 1,
            }
        }
    }
}

/// The convolution at a step and the operations on elements of its shape that follow, if there are some.
fn joined(steps: &[TapeStep], first: usize, known: &HashMap<TapeSource, TensorSpec>) -> Option<Joined> {
    let TapeStep::Call { operation, results, specs, .. } = &steps[first] else { return None };
    let head = BlockHead::try_from(operation.clone()).ok()?;
    let (BlockHead::Convolution(_), [slot], [spec]) = (&head, &results[..], &specs[..]) else { return None };
    let fits = |source: &TapeSource| known.get(source) == Some(spec);
    let mut elementwise = Vec::new();
    for step in steps[first + 1..].iter().take(MOST) {
        let TapeStep::Call { operation, results, specs, is_taken } = step else { break };
        let Ok(step) = BlockStep::try_from(operation.clone()) else { break };
        let is_joined = step.as_elementwise().is_some() && !step.any(|taken| !fits(&taken.source));
        if !is_joined || specs[..] != [spec.clone()] || is_taken[..] != [true] {
            break;
        }
        elementwise.push((step, results[0]));
    }
    let made: Vec<usize> = std::iter::once(*slot).chain(elementwise.iter().map(|(_, slot)| *slot)).collect();
    let range = first..first + made.len();
    let place = |taken: &Taken| made.iter().position(|&slot| taken.source == TapeSource::Slot(slot));
    let (mut inputs, mut last) = (Vec::new(), vec![false; made.len()]);
    for (step, _) in &elementwise {
        step.visit(|taken| match place(taken) {
            Some(place) => last[place] |= taken.is_last,
            None => inputs.push(*taken),
        });
    }
    if elementwise.is_empty() {
        return None;
    }
    let (mut input, register) = (0, |place: usize| (inputs.len() + place) as Register);
    let steps = elementwise.into_iter().map(|(step, _)| {
        step.map(|taken| match place(&taken) {
            Some(place) => register(place),
            None => {
                input += 1;
                input - 1
            }
        })
    });
    let steps: Vec<_> = steps.collect();
    let kept: Vec<usize> = (0..made.len()).filter(|&place| !last[place]).collect();
    Some(Joined {
        range,
        head,
        steps,
        shape: spec.shape.clone(),
        specs: vec![spec.clone(); made.len() - 1],
        results: kept.iter().map(|&place| made[place]).collect(),
        outputs: kept.iter().map(|&place| register(place)).collect(),
        inputs,
    })
}
