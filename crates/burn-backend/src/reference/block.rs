use crate::{Backend, Block, BlockHead, Product, Register};
use alloc::vec::Vec;

/// Computes the outputs of a block one operation at a time. A value is moved into its last use.
pub fn run_block<B: Backend>(block: Block<B::Tensor>) -> Vec<B::Tensor> {
    let count = block.first_step() + block.steps.len();
    let Block { head, inputs, steps, outputs, .. } = block;
    let mut uses: Vec<usize> = alloc::vec![0; count];
    steps.iter().for_each(|step| step.visit(|&r| uses[usize::from(r)] += 1));
    outputs.iter().for_each(|&r| uses[usize::from(r)] += 1);
    let mut values: Vec<Option<B::Tensor>> = inputs.into_iter().map(Some).collect();
    values.extend(head.map(|head| Some(run_head::<B>(head))));
    let mut take = |values: &mut Vec<Option<B::Tensor>>, r: Register| {
        let r = usize::from(r);
        uses[r] -= 1;
        let value = if uses[r] == 0 { values[r].take() } else { values[r].clone() };
        value.expect("registers are counted")
    };
    for step in steps {
        let result = B::execute(step.map(|r| take(&mut values, r)).into()).one();
        values.push(Some(result));
    }
    outputs.into_iter().map(|r| take(&mut values, r)).collect()
}

/// Computes the head of a block as an operation by itself.
pub fn run_head<B: Backend>(head: BlockHead<B::Tensor>) -> B::Tensor {
    match head {
        BlockHead::Product(Product { lhs, rhs }) => B::matmul(lhs, rhs),
        BlockHead::Convolution(args) => B::conv(*args),
    }
}

/// Computes the outputs of a block whose head the block kernels do not support: first the head,
/// then the rest by `run`, with the result of the head as one more input.
pub fn head_first<B: Backend>(
    mut block: Block<B::Tensor>,
    run: impl FnOnce(Block<B::Tensor>) -> Vec<B::Tensor>,
) -> Vec<B::Tensor> {
    match block.head.take() {
        Some(head) => behind_head(block, run_head::<B>(head), run),
        None => run(block),
    }
}

/// Computes the outputs of a block whose head was computed before and taken off: `result` is one more input
/// of what `run` computes.
pub fn behind_head<T: Clone>(mut block: Block<T>, result: T, run: impl FnOnce(Block<T>) -> Vec<T>) -> Vec<T> {
    let register = block.inputs.len();
    let place = block.outputs.iter().position(|&output| usize::from(output) == register);
    let wanted = place.map(|place| {
        block.outputs.remove(place);
        (place, result.clone())
    });
    block.inputs.push(result);
    let mut results = if block.outputs.is_empty() { Vec::new() } else { run(block) };
    if let Some((place, result)) = wanted {
        results.insert(place, result);
    }
    results
}
