use crate::launch::tensor::CubeTensor;
use crate::ops::block::Program;
use burn_backend::*;

/// One elementwise operation as a program of one step.
#[track_caller]
pub fn elementwise(op: Elementwise<CubeTensor>) -> CubeTensor {
    let spec = output_specs(&op.by_ref().into()).unwrap_or_else(|error| panic!("{error}")).one();
    let mut inputs: Vec<CubeTensor> = Vec::new();
    let step = op.map(|x| {
        inputs.push(x);
        (inputs.len() - 1) as Register
    });
    let mut program = Program::new(inputs.len());
    let register = program.operation(&step.into(), inputs[0].dtype());
    program.output(register);
    let shape = spec.shape.clone();
    let engine = inputs[0].engine();
    program.run_in_order(&shape, &inputs.iter().collect::<Vec<_>>(), vec![spec], engine).remove(0)
}
