//! Steps of a block as they run: one by one, or several of them together.

use super::chain::Chain;
use super::chain_kernel::MOST;
use super::cursor::{Area, Cursor};
use super::step::Step;
use alloc::vec::Vec;

/// Unit of a pass: what runs on a tile from its first to its last element.
#[derive(Debug)]
pub enum Stage<'a> {
    Step(Step<'a>),
    Chain(Chain<'a>),
}

/// The stages of these steps. `flow` is the operand of each step that is the result of the step before, if
/// nothing else reads that.
pub fn stages<'a>(steps: Vec<Step<'a>>, flow: &[Option<usize>]) -> Vec<Stage<'a>> {
    let mut stages = Vec::with_capacity(steps.len());
    let mut joined: Vec<(Step<'a>, usize)> = Vec::new();
    for (step, &flow) in steps.into_iter().zip(flow) {
        let step = match (flow, &joined[..]) {
            (Some(_), [(before, _)]) => match step.of_squares(before) {
                Some(step) => {
                    joined.clear();
                    step
                }
                None => step,
            },
            _ => step,
        };
        let goes_on =
            flow.filter(|&flow| !joined.is_empty() && joined.len() < MOST && Chain::takes(&step, flow));
        if goes_on.is_none() {
            end(&mut joined, &mut stages);
        }
        if goes_on.is_some() || Chain::takes(&step, 0) || step.is_square() {
            joined.push((step, goes_on.unwrap_or(0)));
        } else {
            stages.push(Stage::Step(step));
        }
    }
    end(&mut joined, &mut stages);
    stages
}

/// Makes a chain of the joined steps, or a stage of the only one.
fn end<'a>(joined: &mut Vec<(Step<'a>, usize)>, stages: &mut Vec<Stage<'a>>) {
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
