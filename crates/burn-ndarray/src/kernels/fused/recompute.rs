//! Sums, differences and products that are computed again where they are read later: with chains, that costs
//! less than memory for them.

use super::tile_allocation::sources;
use alloc::vec::Vec;
use burn_backend::{BinaryOp, BlockStep, DType, Register, Shape, TensorSpec};

/// Inserts a copy of such a step before the second reader of its value, if the first reader is the next step.
pub fn recompute(
    (inputs, shape): (usize, &Shape),
    steps: &mut Vec<BlockStep<Register>>,
    specs: &mut Vec<TensorSpec>,
    outputs: &mut [Register],
) {
    for k in (0..steps.len()).rev() {
        let value = register(inputs + k);
        let readers: Vec<usize> = (k + 1..steps.len()).filter(|&at| steps[at].any(|&r| r == value)).collect();
        let [first, second] = readers[..] else { continue };
        let is_plain = specs[k].dtype == DType::F32 && specs[k].shape == *shape;
        let is_kept = outputs.contains(&value) || !is_cheap((inputs, shape), k, steps, specs);
        if first != k + 1 || !is_plain || is_kept {
            continue;
        }
        let copy = register(inputs + second);
        let moved = |r: Register| r + Register::from(r >= copy);
        let copied = steps[k].clone();
        for (at, step) in steps.iter_mut().enumerate().skip(second) {
            let read = |r| if at == second && r == value { copy } else { moved(r) };
            *step = step.map_ref(|&r| read(r));
        }
        steps.insert(second, copied);
        specs.insert(second, specs[k].clone());
        outputs.iter_mut().for_each(|output| *output = moved(*output));
    }
}

fn register(index: usize) -> Register {
    Register::try_from(index).expect("twice the steps of a block have numbers")
}

/// Whether a step is a sum, difference or product of an input and of a value of each row or another input.
fn is_cheap(
    (inputs, shape): (usize, &Shape),
    k: usize,
    steps: &[BlockStep<Register>],
    specs: &[TensorSpec],
) -> bool {
    let cheap = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul];
    let operands = cheap.into_iter().find_map(|op| steps[k].as_elementwise()?.as_binary(op));
    let Some((lhs, rhs)) = operands else { return false };
    let sources = sources(inputs, steps, &[]);
    let source = |r: &Register| sources[usize::from(*r)];
    let stays = |r: &Register| source(r) < inputs || specs[source(r) - inputs].shape != *shape;
    let is_input = source(lhs) < inputs || source(rhs) < inputs;
    is_input && stays(lhs) && stays(rhs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use burn_backend::{Elementwise, ReduceOp, UnaryOp};

    fn binary(op: BinaryOp, lhs: Register, rhs: Register) -> BlockStep<Register> {
        BlockStep::Elementwise(Elementwise::Binary { op, lhs, rhs })
    }

    fn unary(op: UnaryOp, x: Register) -> BlockStep<Register> {
        BlockStep::Elementwise(Elementwise::Unary { op, x })
    }

    fn mean(x: Register) -> BlockStep<Register> {
        BlockStep::Reduce { op: ReduceOp::Mean, x, dims: [1].into() }
    }

    fn expand(x: Register) -> BlockStep<Register> {
        BlockStep::Expand { x, shape: [4, 9].into() }
    }

    /// The steps and outputs of a block on inputs 0 and 1, with their copies.
    fn with_copies(
        mut steps: Vec<BlockStep<Register>>,
        mut outputs: Vec<Register>,
    ) -> (Vec<BlockStep<Register>>, Vec<Register>) {
        let is_value = |step: &BlockStep<Register>| {
            let function = step.as_elementwise().and_then(Elementwise::as_unary);
            step.as_reduce().is_some() || function == Some(UnaryOp::Sqrt)
        };
        let spec = |step: &BlockStep<Register>| {
            TensorSpec::new(if is_value(step) { [4, 1] } else { [4, 9] }, DType::F32)
        };
        let mut specs: Vec<TensorSpec> = steps.iter().map(spec).collect();
        recompute((2, &Shape::from([4, 9])), &mut steps, &mut specs, &mut outputs);
        assert_eq!(specs, steps.iter().map(spec).collect::<Vec<_>>());
        (steps, outputs)
    }

    #[test]
    fn differences_from_the_mean_are_computed_twice() {
        let before = [mean(0), expand(2), binary(BinaryOp::Sub, 0, 3), unary(UnaryOp::Square, 4), mean(5)];
        let deviation = [unary(UnaryOp::Sqrt, 6), expand(7)];
        let last = [binary(BinaryOp::Div, 4, 8), binary(BinaryOp::Mul, 9, 1)];
        let steps = [&before[..], &deviation, &last].concat();
        let copied = [binary(BinaryOp::Sub, 0, 3), binary(BinaryOp::Div, 9, 8), binary(BinaryOp::Mul, 10, 1)];
        let wanted = [&before[..], &deviation, &copied].concat();
        assert_eq!(with_copies(steps.clone(), vec![10]), (wanted, vec![11]));
        // The memory of a result is there anyway.
        assert_eq!(with_copies(steps.clone(), vec![4, 10]), (steps, vec![4, 10]));
    }

    #[test]
    fn values_that_cost_more_or_are_read_otherwise_are_kept() {
        for steps in [
            vec![unary(UnaryOp::Exp, 0), mean(2), expand(3), binary(BinaryOp::Sub, 2, 4)],
            vec![binary(BinaryOp::Div, 0, 1), mean(2), expand(3), binary(BinaryOp::Sub, 2, 4)],
            // Its operand has all elements, and would be kept instead.
            vec![
                unary(UnaryOp::Exp, 0),
                binary(BinaryOp::Sub, 2, 1),
                mean(3),
                expand(4),
                binary(BinaryOp::Sub, 3, 5),
            ],
            vec![binary(BinaryOp::Sub, 0, 1), mean(2)],
            vec![binary(BinaryOp::Sub, 0, 1), mean(0), expand(3), binary(BinaryOp::Mul, 2, 4), mean(2)],
        ] {
            let last = Register::try_from(steps.len() + 1).expect("few");
            assert_eq!(with_copies(steps.clone(), vec![last]), (steps, vec![last]));
        }
    }
}
