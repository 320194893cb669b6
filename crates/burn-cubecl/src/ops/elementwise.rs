use crate::launch::element::widened;
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

#[track_caller]
pub fn unary(op: UnaryOp, x: CubeTensor) -> CubeTensor {
    elementwise(Elementwise::Unary { op, x })
}

#[track_caller]
pub fn binary(op: BinaryOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
    elementwise(Elementwise::Binary { op, lhs, rhs })
}

#[track_caller]
pub fn compare(op: CompareOp, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
    elementwise(Elementwise::Compare { op, lhs, rhs })
}

#[track_caller]
pub fn compare_scalar(op: CompareOp, lhs: CubeTensor, rhs: Scalar) -> CubeTensor {
    elementwise(Elementwise::CompareScalar { op, lhs, rhs })
}

#[track_caller]
pub fn mask_fill(x: CubeTensor, mask: CubeTensor, value: Scalar) -> CubeTensor {
    elementwise(Elementwise::MaskFill { x, mask, value })
}

/// Copies `x` into a new buffer, in row-major order and as elements of `dtype`.
pub fn row_major(x: &CubeTensor, dtype: DType) -> CubeTensor {
    let spec = TensorSpec { dtype, shape: x.shape() };
    let mut program = Program::new(1);
    let value = program.cast(0, dtype);
    program.output(value);
    program.run(&spec.shape.clone(), &[x], vec![spec], x.engine()).remove(0)
}

/// Copies narrow elements, such as halves, as elements of four bytes; returns `x` itself if it has others.
pub fn wide(x: CubeTensor) -> CubeTensor {
    let dtype = widened(x.dtype());
    if x.dtype() == dtype { x } else { row_major(&x, dtype) }
}

/// Casts `x` to another element type, if it has another one.
#[track_caller]
pub fn cast(x: CubeTensor, dtype: DType) -> CubeTensor {
    if x.dtype() == dtype { x } else { elementwise(Elementwise::Cast { x, dtype }) }
}
