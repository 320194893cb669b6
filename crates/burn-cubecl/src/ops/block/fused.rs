use super::program::Program;
use super::rows;
use crate::launch::tensor::CubeTensor;
use burn_backend::*;

/// Computes a block one operation at a time.
pub type ByOperation = fn(Block<CubeTensor>) -> Vec<CubeTensor>;

/// Computes a block without its head in one kernel, or else by single operations.
pub fn fused(block: Block<CubeTensor>, by_operation: ByOperation) -> Vec<CubeTensor> {
    if block.inputs.is_empty() || !rows::are_known(&block) {
        return by_operation(block);
    }
    let (program, results) = programmed(&block);
    let inputs: Vec<&CubeTensor> = block.inputs.iter().collect();
    if block.folded == 0 {
        program.run_in_order(&block.shape, &inputs, results, inputs[0].engine())
    } else {
        program.run_rows(&block.shape, block.folded, &inputs, results)
    }
}

/// The steps of a block as a program, for which products that the block begins with are the last inputs, and
/// what the results are.
pub fn programmed(block: &Block<CubeTensor>) -> (Program, Vec<TensorSpec>) {
    let heads = block.head.iter().flat_map(|head| std::iter::repeat_n(head.dtype(), head.results()));
    let head_specs = heads.clone().map(|dtype| TensorSpec::new(block.shape.clone(), dtype));
    let specs: Vec<TensorSpec> = head_specs.chain(block.specs.iter().cloned()).collect();
    let mut program = Program::new(block.first_step());
    // Where each register of the block is in the program, and its element type.
    let dtypes = block.inputs.iter().map(HasSpec::dtype).chain(heads);
    let mut places: Vec<(Register, DType)> =
        dtypes.enumerate().map(|(at, dtype)| (at as Register, dtype)).collect();
    for (step, spec) in block.steps.iter().zip(&block.specs) {
        let mut dtype = None;
        let step = step.map_ref(|&r| {
            let (place, found) = places[usize::from(r)];
            dtype.get_or_insert(found);
            place
        });
        let register = program.operation(&step, dtype.expect("operations have operands"));
        places.push((register, spec.dtype));
    }
    let results = block.outputs.iter().map(|&r| specs[usize::from(r) - block.inputs.len()].clone()).collect();
    block.outputs.iter().for_each(|&r| program.output(places[usize::from(r)].0));
    (program, results)
}
