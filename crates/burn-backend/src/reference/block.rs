use crate::{Backend, Block, Register};
use alloc::vec::Vec;

/// The outputs of a block, one call after the other. What is read for the last time is moved into the call.
pub fn run_block<B: Backend>(block: Block<B::Tensor>) -> Vec<B::Tensor> {
    let Block { inputs, steps, outputs, .. } = block;
    let mut uses: Vec<usize> = inputs.iter().map(|_| 0).chain(steps.iter().map(|_| 0)).collect();
    steps.iter().for_each(|step| step.visit(|&r| uses[usize::from(r)] += 1));
    outputs.iter().for_each(|&r| uses[usize::from(r)] += 1);
    let mut values: Vec<Option<B::Tensor>> = inputs.into_iter().map(Some).collect();
    let mut take = |values: &mut Vec<Option<B::Tensor>>, r: Register| {
        let r = usize::from(r);
        uses[r] -= 1;
        let value = if uses[r] == 0 { values[r].take() } else { values[r].clone() };
        value.expect("registers are counted")
    };
    for step in steps {
        let result = B::execute(step.map(|r| take(&mut values, r))).one();
        values.push(Some(result));
    }
    outputs.into_iter().map(|r| take(&mut values, r)).collect()
}
