//! Numbers of an operation that may depend on the sizes of its operands.

use burn_capture::{Step, Value};
use burn_ir::{Creation, Dims, FftOp, Operation, Scalar, Shape, Slices};

/// Takes these numbers out of a step, in a fixed order, and puts zeros in their places: steps of recordings with other sizes are then
/// equal. Constants are left as they are.
pub(super) fn take(step: &mut Step<Value>) -> Vec<i64> {
    let mut numbers = Vec::new();
    match step {
        Step::Create(creation) => from_creation(creation, &mut numbers),
        Step::Call(operation) => from_operation(operation, &mut numbers),
        Step::ArgWhere { found, .. } => size(found, &mut numbers),
    }
    numbers
}

fn size(size: &mut usize, numbers: &mut Vec<i64>) {
    numbers.push(std::mem::take(size) as i64);
}

fn dims(dims: &mut Dims, numbers: &mut Vec<i64>) {
    dims.iter_mut().for_each(|dim| size(dim, numbers));
}

fn shape(shape: &mut Shape, numbers: &mut Vec<i64>) {
    dims(&mut shape.dims, numbers);
}

fn slices(slices: &mut Slices, numbers: &mut Vec<i64>) {
    for slice in slices {
        size(&mut slice.start, numbers);
        size(&mut slice.end, numbers);
    }
}

/// Whole numbers only: they may be counts.
fn scalar(scalar: &mut Scalar, numbers: &mut Vec<i64>) {
    let value = scalar.to_f64();
    if value.fract() == 0.0 && value.abs() < 9e15 {
        numbers.push(value as i64);
        *scalar = Scalar::Int(0);
    }
}

fn from_creation(creation: &mut Creation, numbers: &mut Vec<i64>) {
    match creation {
        Creation::Data(_) => {}
        Creation::Full { spec, value } => {
            shape(&mut spec.shape, numbers);
            scalar(value, numbers);
        }
        Creation::Range { spec, start, step } => {
            shape(&mut spec.shape, numbers);
            scalar(start, numbers);
            scalar(step, numbers);
        }
        Creation::Random { spec, .. } => shape(&mut spec.shape, numbers),
    }
}

fn from_operation(operation: &mut Operation<Value>, numbers: &mut Vec<i64>) {
    use Operation::*;
    match operation {
        BinaryScalar { rhs, .. } | CompareScalar { rhs, .. } => scalar(rhs, numbers),
        Reshape { shape: target, .. } | Expand { shape: target, .. } => shape(target, numbers),
        Slice { slices: own, .. } | SliceAssign { slices: own, .. } => slices(own, numbers),
        RepeatDim { times, .. } => size(times, numbers),
        TopK { k, .. } => size(k, numbers),
        ConvTranspose(args) | ConvWeightGrad(args) => shape(&mut args.target, numbers),
        AdaptiveAvgPool { size, .. } | Interpolate { size, .. } => dims(size, numbers),
        PoolGrad(args) => shape(&mut args.target, numbers),
        AdaptiveAvgPoolGrad { target, .. } | InterpolateGrad { target, .. } => shape(target, numbers),
        Fft { op: FftOp::Half { n }, .. } => size(n, numbers),
        Dequantize(args) => shape(&mut args.shape, numbers),
        QuantizedMatmul(args) => shape(&mut args.rhs.shape, numbers),
        Unary { .. }
        | Binary { .. }
        | Compare { .. }
        | Clamp { .. }
        | MaskWhere { .. }
        | MaskFill { .. }
        | Cast { .. }
        | Permute { .. }
        | Flip { .. }
        | Cat { .. }
        | Reduce { .. }
        | ArgReduce { .. }
        | ReduceWithIndices { .. }
        | Cumulative { .. }
        | Sort { .. }
        | SortWithIndices { .. }
        | Gather { .. }
        | Scatter { .. }
        | Select { .. }
        | SelectAssign { .. }
        | Matmul { .. }
        | Factorize { .. }
        | Lu { .. }
        | Solve { .. }
        | SolveTriangular { .. }
        | Conv(_)
        | Pool(_)
        | MaxPoolWithIndices { .. }
        | Fft { .. }
        | Softmax { .. }
        | LogSoftmax { .. }
        | LayerNorm(_)
        | LayerNormGrad(_)
        | Attention(_)
        | AttentionGrad(_)
        | Quantize(_)
        | IntegerMatmul(_)
        | Recurrent(_)
        | RecurrentGrad(_) => {}
    }
}
