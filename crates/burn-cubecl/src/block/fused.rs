use super::program::Program;
use super::rows;
use crate::leaf::Leaf;
use crate::tensor::CubeTensor;
use burn_backend::*;

/// A block without a product, as one kernel.
pub fn fused(block: Block<CubeTensor>) -> Vec<CubeTensor> {
    if block.inputs.is_empty() || !rows::are_known(&block) {
        return reference::run_block::<Leaf>(block);
    }
    let Block { shape, folded, head: _, inputs, steps, specs, outputs } = block;
    let mut program = Program::new(inputs.len());
    // Where each register of the block is in the program, and its element type.
    let mut places: Vec<(Register, DType)> =
        inputs.iter().enumerate().map(|(at, x)| (at as Register, x.dtype())).collect();
    for (step, spec) in steps.into_iter().zip(&specs) {
        let mut dtype = None;
        let step = step.map(|r| {
            let (place, found) = places[usize::from(r)];
            dtype.get_or_insert(found);
            place
        });
        let register = program.operation(&step, dtype.expect("operations have operands"));
        places.push((register, spec.dtype));
    }
    let first = inputs.len();
    let results = outputs.iter().map(|&r| specs[usize::from(r) - first].clone()).collect();
    outputs.iter().for_each(|&r| program.output(places[usize::from(r)].0));
    let inputs: Vec<&CubeTensor> = inputs.iter().collect();
    if folded == 0 {
        program.run_in_order(&shape, &inputs, results, inputs[0].engine())
    } else {
        program.run_rows(&shape, folded, &inputs, results)
    }
}
