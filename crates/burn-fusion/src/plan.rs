//! What to do with a list of waiting calls: drop the dead ones, fuse runs, execute the rest.

use crate::queue::{Inner, Slot, Step, Work};
use burn_backend::{Block, HasSpec, Operation, Outputs, Register, TensorSpec, UnaryOp};
use std::sync::{Arc, Weak};

pub fn run(mut steps: Vec<Step>, inner: Inner) {
    drop_dead(&mut steps);
    let mut block: Vec<Member> = Vec::new();
    for step in steps {
        match Member::from_step(step) {
            Ok(member) => {
                if block.first().is_some_and(|first| first.spec != member.spec) {
                    run_block(std::mem::take(&mut block), inner);
                }
                block.push(member);
            }
            Err(step) => {
                run_block(std::mem::take(&mut block), inner);
                run_step(step, inner);
            }
        }
    }
    run_block(block, inner);
}

/// From the back, so that what only a dead call needed dies too.
fn drop_dead(steps: &mut Vec<Step>) {
    let mut alive: Vec<Step> = Vec::with_capacity(steps.len());
    while let Some(step) = steps.pop() {
        if step.outputs.any(|output| output.strong_count() > 0) {
            alive.push(step);
        }
    }
    alive.reverse();
    *steps = alive;
}

fn run_step(step: Step, inner: Inner) {
    let results = match step.work {
        Work::Call(op) => inner.execute(op.map(Slot::take)),
        Work::Custom(inputs, run) => run(inputs.into_iter().map(Slot::take).collect()),
    };
    step.outputs.zip(results, |output, value| {
        if let Some(slot) = output.upgrade() {
            slot.fill(value);
        }
    });
}

/// An elementwise call, with its result in the shape of its operands.
struct Member {
    op: Operation<Arc<Slot>>,
    output: Weak<Slot>,
    spec: TensorSpec,
}

impl Member {
    fn from_step(step: Step) -> Result<Self, Step> {
        let spec = match &step.work {
            Work::Call(op) if is_elementwise(op) => op.first().spec().clone(),
            Work::Call(_) | Work::Custom(..) => return Err(step),
        };
        match (step.work, step.outputs) {
            (Work::Call(op), Outputs::One(output)) => Ok(Member { op, output, spec }),
            (work, outputs) => Err(Step { work, outputs }),
        }
    }
}

fn is_elementwise(op: &Operation<Arc<Slot>>) -> bool {
    let spec = op.first().spec();
    let kind = match op {
        Operation::Unary { op, .. } => *op != UnaryOp::Not,
        Operation::Binary { .. } | Operation::BinaryScalar { .. } => true,
        Operation::Compare { .. }
        | Operation::CompareScalar { .. }
        | Operation::Clamp { .. }
        | Operation::MaskWhere { .. }
        | Operation::MaskFill { .. }
        | Operation::Cast { .. }
        | Operation::Reshape { .. }
        | Operation::Permute { .. }
        | Operation::Expand { .. }
        | Operation::Flip { .. }
        | Operation::Slice { .. }
        | Operation::SliceAssign { .. }
        | Operation::Cat { .. }
        | Operation::RepeatDim { .. }
        | Operation::Reduce { .. }
        | Operation::ArgReduce { .. }
        | Operation::ReduceWithIndices { .. }
        | Operation::Cumulative { .. }
        | Operation::Sort { .. }
        | Operation::SortWithIndices { .. }
        | Operation::TopK { .. }
        | Operation::Gather { .. }
        | Operation::Scatter { .. }
        | Operation::Select { .. }
        | Operation::SelectAssign { .. }
        | Operation::Matmul { .. }
        | Operation::Factorize { .. }
        | Operation::Lu { .. }
        | Operation::Solve { .. }
        | Operation::SolveTriangular { .. }
        | Operation::Conv(_)
        | Operation::ConvTranspose(_)
        | Operation::ConvWeightGrad(_)
        | Operation::Pool(_)
        | Operation::PoolGrad(_)
        | Operation::MaxPoolWithIndices { .. }
        | Operation::AdaptiveAvgPool { .. }
        | Operation::AdaptiveAvgPoolGrad { .. }
        | Operation::Fft { .. }
        | Operation::Softmax { .. }
        | Operation::LogSoftmax { .. } => false,
    };
    kind && spec.dtype.is_float() && !op.any(|x| x.spec() != spec)
}

fn run_block(members: Vec<Member>, inner: Inner) {
    let Some(first) = members.first() else { return };
    let spec = first.spec.clone();
    if members.len() == 1 {
        return members.into_iter().for_each(|Member { op, output, .. }| {
            run_step(Step { work: Work::Call(op), outputs: Outputs::One(output) }, inner);
        });
    }
    // Registers: inputs in the order they are met, then one per member. What is not ready is from this block.
    let mut inputs: Vec<Arc<Slot>> = Vec::new();
    for member in &members {
        member.op.visit(|x| {
            if x.is_ready() && !inputs.iter().any(|input| Arc::ptr_eq(input, x)) {
                inputs.push(x.clone());
            }
        });
    }
    let number = |k: usize| Register::try_from(k).expect("a block is shorter than the queue");
    for (k, member) in members.iter().enumerate() {
        member.output.upgrade().iter().for_each(|slot| slot.set_register(number(k + inputs.len())));
    }
    let register = |x: Arc<Slot>| match inputs.iter().position(|input| Arc::ptr_eq(input, &x)) {
        Some(k) => number(k),
        None => x.register(),
    };
    let (steps, results): (Vec<_>, Vec<_>) =
        members.into_iter().map(|member| (member.op.map(register), member.output)).unzip();
    // The block has let go of its operands: who is alive now is wanted outside.
    let (mut outputs, mut wanted) = (Vec::new(), Vec::new());
    for (k, slot) in results.iter().enumerate() {
        if let Some(slot) = slot.upgrade() {
            outputs.push(number(k + inputs.len()));
            wanted.push(slot);
        }
    }
    let inputs = inputs.into_iter().map(Slot::take).collect();
    let values = inner.run_elementwise(Block { spec, inputs, steps, outputs });
    wanted.iter().zip(values).for_each(|(slot, value)| slot.fill(value));
}
