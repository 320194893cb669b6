//! What to do with a list of waiting calls: drop the dead ones, fuse what can be one pass, execute the rest.

use crate::block::{Growing, run_step};
use crate::queue::{Inner, Step, Work};
use crate::report;
use crate::role::{Role, role};

pub fn run(mut steps: Vec<Option<Step>>, inner: Inner) {
    drop_dead(&mut steps);
    let mut block = Growing::default();
    for step in steps.into_iter().flatten() {
        let Err(step) = block.join(step) else { continue };
        if goes_before(&step) {
            run_step(step, inner);
            continue;
        }
        block.run(inner);
        if let Err(step) = block.join(step) {
            run_step(step, inner);
        }
    }
    block.run(inner);
}

/// Whether a call needs nothing of the block and can begin none: it runs, and the block goes on growing.
fn goes_before(step: &Step) -> bool {
    match &step.work {
        Work::Call(op, _) => role(op) == Role::Alone && !op.any(|x| !x.is_ready()),
        Work::Custom(..) => false,
    }
}

/// From the back, so that what only a dead call needed dies too.
fn drop_dead(steps: &mut [Option<Step>]) {
    let mut dead = 0;
    for place in steps.iter_mut().rev() {
        let alive = |step: &Step| step.outputs.any(|output| output.strong_count() > 0);
        if !place.as_ref().is_some_and(alive) {
            *place = None;
            dead += 1;
        }
    }
    report::count_dropped(dead);
}
