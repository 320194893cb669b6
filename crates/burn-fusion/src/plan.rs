//! Planner for a queue of calls: drops dead ones, fuses those that can run in a single pass, executes the
//! rest.

use crate::block::{Growing, run_step};
use crate::block_part::{BlockPart, block_part};
use crate::report;
use crate::slot::Slot;
use crate::step::{Inner, QueuedStep, QueuedWork};
use burn_backend::dynamic::DynamicTensor;
use burn_backend::{HasSpec, Operation, Outputs};
use std::sync::{Arc, Weak};

/// Number of calls that are searched for products of one left operand.
const LOOKED_THROUGH: usize = 32;

/// Runs the calls from the first on, at least `least` of them, to the end of a block, and returns their
/// number.
///
/// The outputs of a block depend on the calls after it: which of them read its values, and which values are
/// already dropped. So a full queue keeps its later calls, and its blocks are the same wherever in a loop the
/// queue filled up.
pub fn run(steps: &mut [Option<QueuedStep>], least: usize, inner: Inner) -> usize {
    drop_dead(steps);
    let mut block = Growing::of(inner);
    let mut at = 0;
    while at < steps.len() {
        if at >= least && block.is_empty() {
            return at;
        }
        at += 1;
        if run_shared_lhs(steps, at - 1, inner) {
            continue;
        }
        let Some(step) = steps[at - 1].take() else { continue };
        let Err(step) = block.join(step) else { continue };
        if goes_before(&step, inner, &steps[at..]) {
            run_step(step, inner);
            continue;
        }
        // Calls that are left go back to the empty places before this one.
        let mut left = block.run_before(&step);
        left.push(step);
        let first = at - left.len();
        steps[first..at].iter_mut().zip(left).for_each(|(place, step)| *place = Some(step));
        at = first;
        if at >= least {
            return at;
        }
        at += 1;
        // The block may have computed the left operand of a product.
        if run_shared_lhs(steps, at - 1, inner) {
            continue;
        }
        let Some(step) = steps[at - 1].take() else { continue };
        if let Err(step) = block.join(step) {
            run_step(step, inner);
        }
    }
    block.run();
    steps.len()
}

/// Returns whether a call neither reads from the block nor starts one: it runs first, and the block continues
/// to grow.
fn goes_before(step: &QueuedStep, inner: Inner, later: &[Option<QueuedStep>]) -> bool {
    let QueuedWork::Call(op, _) = &step.work else { return false };
    let class = block_part(op, inner);
    is_free(op)
        && match (class, &step.outputs) {
            (BlockPart::Alone, _) => true,
            (BlockPart::Head, Outputs::One(output)) => !goes_on(output, inner, later),
            (BlockPart::Head | BlockPart::Elementwise | BlockPart::Repeat | BlockPart::Fold(_), _) => false,
        }
}

/// Runs the matrix product at this place together with later ones of the same left operand, if the backend
/// has a kernel for all of them; returns whether it did.
fn run_shared_lhs(steps: &mut [Option<QueuedStep>], at: usize, inner: Inner) -> bool {
    let Some([lhs, _]) = factors(&steps[at]) else { return false };
    if !inner.has_products(lhs.spec()) {
        return false;
    }
    let end = steps.len().min(at + LOOKED_THROUGH);
    let is_alike = |other: &usize| factors(&steps[*other]).is_some_and(|[left, _]| Arc::ptr_eq(left, lhs));
    let is_alone = |other: &usize| !goes_on_after(steps, *other, inner);
    let found: Vec<usize> = (at..end).filter(is_alike).filter(is_alone).collect();
    if found.len() < 2 || found[0] != at {
        return false;
    }
    let rhs = found.iter().filter_map(|other| factors(&steps[*other])?[1].value().cloned());
    let rhs: Vec<DynamicTensor> = rhs.collect();
    let products = lhs.products_of_rows(&rhs).or_else(|| inner.products(lhs.value()?, &rhs));
    let Some(products) = products else { return false };
    for (other, product) in found.into_iter().zip(products) {
        let Some(QueuedStep { outputs: Outputs::One(output), .. }) = steps[other].take() else { continue };
        report::count_alone();
        if let Some(slot) = output.upgrade() {
            slot.fill(product);
        }
    }
    true
}

/// Factors of a product of matrices that reads no queued value.
fn factors(step: &Option<QueuedStep>) -> Option<[&Arc<Slot>; 2]> {
    let Some(QueuedStep { work: QueuedWork::Call(op, _), .. }) = step else { return None };
    let (lhs, rhs) = op.as_matmul()?;
    (lhs.is_ready() && rhs.is_ready()).then_some([lhs, rhs])
}

/// Returns whether a block goes on with the result of a call.
fn goes_on_after(steps: &[Option<QueuedStep>], at: usize, inner: Inner) -> bool {
    let Some(QueuedStep { outputs: Outputs::One(output), .. }) = &steps[at] else { return false };
    goes_on(output, inner, &steps[at + 1..])
}

/// Returns whether a call reads no queued value.
fn is_free(op: &Operation<Arc<Slot>>) -> bool {
    !op.any(|x| !x.is_ready())
}

/// Returns whether the next call that reads queued values takes this value into a block.
fn goes_on(value: &Weak<Slot>, inner: Inner, later: &[Option<QueuedStep>]) -> bool {
    for step in later.iter().flatten() {
        let QueuedWork::Call(op, _) = &step.work else { return false };
        let class = block_part(op, inner);
        let passes = match class {
            BlockPart::Repeat => true,
            BlockPart::Alone | BlockPart::Head => is_free(op),
            BlockPart::Elementwise | BlockPart::Fold(_) => false,
        };
        if op.any(|x| Arc::as_ptr(x) == value.as_ptr()) {
            return is_epilogue(class, value, step, inner);
        }
        if !passes {
            return false;
        }
    }
    false
}

/// Returns whether a call on the result of a head can join its block.
fn is_epilogue(class: BlockPart, head: &Weak<Slot>, step: &QueuedStep, inner: Inner) -> bool {
    let shape = |value: &Weak<Slot>| value.upgrade().map(|slot| slot.spec().shape.clone());
    match class {
        BlockPart::Fold(_) => head.upgrade().is_none_or(|slot| !inner.takes_rows(slot.spec())),
        BlockPart::Elementwise => !step.outputs.any(|output| shape(output) != shape(head)),
        BlockPart::Repeat | BlockPart::Head | BlockPart::Alone => false,
    }
}

/// Removes dead calls, from the back, so that calls needed only by dead ones are removed as well.
fn drop_dead(steps: &mut [Option<QueuedStep>]) {
    let mut dead = 0;
    for place in steps.iter_mut().rev() {
        let alive = |step: &QueuedStep| step.outputs.any(|output| output.strong_count() > 0);
        if !place.as_ref().is_some_and(alive) {
            *place = None;
            dead += 1;
        }
    }
    report::count_dropped(dead);
}
