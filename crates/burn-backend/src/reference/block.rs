use crate::{Backend, Block, BlockHead, Register};
use alloc::vec;
use alloc::vec::Vec;

/// Computes the outputs of a block one operation at a time. A value is moved into its last use.
pub fn run_block<B: Backend>(block: Block<B::Tensor>) -> Vec<B::Tensor> {
    let count = block.first_step() + block.steps.len();
    let Block { head, inputs, steps, outputs, .. } = block;
    let mut uses: Vec<usize> = vec![0; count];
    steps.iter().for_each(|step| step.visit(|&r| uses[usize::from(r)] += 1));
    outputs.iter().for_each(|&r| uses[usize::from(r)] += 1);
    let mut values: Vec<Option<B::Tensor>> = inputs.into_iter().map(Some).collect();
    values.extend(head.into_iter().flat_map(run_head::<B>).map(Some));
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

/// Computes the head of a block as operations by themselves.
pub fn run_head<B: Backend>(head: BlockHead<B::Tensor>) -> Vec<B::Tensor> {
    let calls = head.operations(|rows| run_block::<B>(rows.into()).remove(0));
    calls.into_iter().map(|call| B::execute(call).one()).collect()
}

/// Computes the outputs of a block whose head the block kernels do not support: first the head,
/// then the rest by `run`, with the results of the head as more inputs.
pub fn head_first<B: Backend>(
    mut block: Block<B::Tensor>,
    run: impl FnOnce(Block<B::Tensor>) -> Vec<B::Tensor>,
) -> Vec<B::Tensor> {
    match block.head.take() {
        Some(head) => behind_head(block, run_head::<B>(head), run),
        None => run(block),
    }
}

/// Computes the outputs of a block whose head was computed before and taken off: its `heads` are more inputs
/// of what `run` computes.
pub fn behind_head<T: Clone>(
    mut block: Block<T>,
    heads: Vec<T>,
    run: impl FnOnce(Block<T>) -> Vec<T>,
) -> Vec<T> {
    let first = block.inputs.len();
    let is_head = |output: &Register| (first..first + heads.len()).contains(&usize::from(*output));
    let wanted: Vec<(usize, T)> = block
        .outputs
        .iter()
        .enumerate()
        .filter(|(_, output)| is_head(output))
        .map(|(place, &output)| (place, heads[usize::from(output) - first].clone()))
        .collect();
    block.outputs.retain(|output| !is_head(output));
    block.inputs.extend(heads);
    let mut results = if block.outputs.is_empty() { Vec::new() } else { run(block) };
    wanted.into_iter().for_each(|(place, result)| results.insert(place, result));
    results
}
