use crate::{Backend, Block, Product, Register};
use alloc::vec::Vec;

/// Computes the outputs of a block one operation at a time. A value is moved into its last use.
pub fn run_block<B: Backend>(block: Block<B::Tensor>) -> Vec<B::Tensor> {
    let count = block.first_step() + block.steps.len();
    let Block { head, inputs, steps, outputs, .. } = block;
    let mut uses: Vec<usize> = alloc::vec![0; count];
    steps.iter().for_each(|step| step.visit(|&r| uses[usize::from(r)] += 1));
    outputs.iter().for_each(|&r| uses[usize::from(r)] += 1);
    let mut values: Vec<Option<B::Tensor>> = inputs.into_iter().map(Some).collect();
    values.extend(head.map(|Product { lhs, rhs }| Some(B::matmul(lhs, rhs))));
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

/// Computes the outputs of a block whose head the block kernels do not support: first the matrix product,
/// then the rest by `run`, with the product as one more input.
pub fn head_first<B: Backend>(
    mut block: Block<B::Tensor>,
    run: impl FnOnce(Block<B::Tensor>) -> Vec<B::Tensor>,
) -> Vec<B::Tensor> {
    let Some(Product { lhs, rhs }) = block.head.take() else { return run(block) };
    let register = block.inputs.len();
    let product = B::matmul(lhs, rhs);
    let place = block.outputs.iter().position(|&output| usize::from(output) == register);
    let wanted = place.map(|place| {
        block.outputs.remove(place);
        (place, product.clone())
    });
    block.inputs.push(product);
    let mut results = if block.outputs.is_empty() { Vec::new() } else { run(block) };
    if let Some((place, product)) = wanted {
        results.insert(place, product);
    }
    results
}
