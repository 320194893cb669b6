//! Steps of a block as they run: one by one, or several of them together.

use super::chain::Chain;
use super::chain_call::MOST;
use super::cursor::{Area, Cursor};
use super::step::{Flow, FusedStep};
use alloc::vec::Vec;

/// Unit of a pass: what runs on a tile from its first to its last element.
#[derive(Debug)]
pub enum Stage<'a> {
    Step(FusedStep<'a>),
    Chain(Chain<'a>),
}

/// Stages of these steps, on rows of `columns` elements. `flow` is that of the step before into each step.
pub fn stages<'a>(steps: Vec<FusedStep<'a>>, flow: &[Option<Flow>], columns: usize) -> Vec<Stage<'a>> {
    let mut stages = Vec::with_capacity(steps.len());
    let mut joined: Vec<(FusedStep<'a>, Flow)> = Vec::new();
    for (step, &flow) in steps.into_iter().zip(flow) {
        let step = match (flow, &joined[..]) {
            (Some(Flow { is_only: true, .. }), [(before, _)]) => match step.of_squares(before) {
                Some(step) => {
                    joined.clear();
                    step
                }
                None => step,
            },
            _ => step,
        };
        let goes_on = flow.filter(|&flow| can_join(&joined, &step, flow, columns));
        if goes_on.is_none() {
            end(&mut joined, &mut stages);
        }
        let is_last = step.is_fold();
        match goes_on {
            Some(flow) => joined.push((step, flow)),
            None if Chain::takes(&step, 0) || step.is_square() || Chain::folds(&[], &step, columns) => {
                joined.push((step, Flow { operand: 0, is_only: true }));
            }
            None => stages.push(Stage::Step(step)),
        }
        if is_last {
            end(&mut joined, &mut stages);
        }
    }
    end(&mut joined, &mut stages);
    stages
}

/// Whether a step can be joined to those before it.
fn can_join<'a>(joined: &[(FusedStep<'a>, Flow)], step: &FusedStep<'a>, flow: Flow, columns: usize) -> bool {
    let Some((before, _)) = joined.last() else { return false };
    if step.is_fold() {
        return Chain::folds(joined, step, columns);
    }
    joined.len() < MOST && before.per_row == step.per_row && Chain::takes(step, flow.operand)
}

/// Makes a chain of the joined steps, or stages of each.
fn end<'a>(joined: &mut Vec<(FusedStep<'a>, Flow)>, stages: &mut Vec<Stage<'a>>) {
    match Chain::new(joined) {
        Some(chain) => {
            joined.clear();
            stages.push(Stage::Chain(chain));
        }
        None => stages.extend(joined.drain(..).map(|(step, _)| Stage::Step(step))),
    }
}

impl<'a> Stage<'a> {
    pub fn run(&self, area: Area, scratch: *mut u8) {
        match self {
            Stage::Step(step) => step.run(area, scratch),
            Stage::Chain(chain) => chain.run(area, scratch),
        }
    }

    /// Time of one element, in additions.
    pub fn cost(&self) -> usize {
        match self {
            Stage::Step(step) => step.kernel.cost(),
            Stage::Chain(chain) => chain.cost(),
        }
    }

    /// Everything that is read or written.
    pub fn cursors(&self) -> Vec<Cursor<'a>> {
        match self {
            Stage::Step(step) => step.operands.into_iter().flatten().chain([step.to]).collect(),
            Stage::Chain(chain) => chain.cursors().copied().collect(),
        }
    }
}
