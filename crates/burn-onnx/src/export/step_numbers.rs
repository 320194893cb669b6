//! Numbers of an operation that may depend on the sizes of its operands.

use burn_capture::{Step, Value};
use burn_ir::{
    Attention, Convolution, Creation, Dims, Elementwise, FftOp, Index, Layout, Linalg, Normalization,
    Operation, Order, Pooling, Quantized, Recurrent, Reduction, Resize, Scalar, Shape, Slices, Spectral,
};

/// Takes these numbers out of a step, in a fixed order, and puts zeros instead: steps of recordings
/// with other sizes are then equal. Constants are left as they are.
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
    match operation {
        Operation::Elementwise(Elementwise::BinaryScalar { rhs, .. })
        | Operation::Elementwise(Elementwise::CompareScalar { rhs, .. }) => scalar(rhs, numbers),
        Operation::Layout(Layout::Reshape { shape: target, .. })
        | Operation::Layout(Layout::Expand { shape: target, .. }) => shape(target, numbers),
        Operation::Layout(Layout::Slice { slices: own, .. })
        | Operation::Layout(Layout::SliceAssign { slices: own, .. }) => slices(own, numbers),
        Operation::Layout(Layout::RepeatDim { times, .. }) => size(times, numbers),
        Operation::Order(Order::TopK { k, .. }) => size(k, numbers),
        Operation::Convolution(Convolution::ConvTranspose(args))
        | Operation::Convolution(Convolution::ConvWeightGrad(args)) => shape(&mut args.target, numbers),
        Operation::Pooling(Pooling::AdaptiveAvgPool { size, .. })
        | Operation::Resize(Resize::Interpolate { size, .. }) => dims(size, numbers),
        Operation::Pooling(Pooling::PoolGrad(args)) => shape(&mut args.target, numbers),
        Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { target, .. })
        | Operation::Resize(Resize::InterpolateGrad { target, .. }) => shape(target, numbers),
        Operation::Spectral(Spectral::Fft { op: FftOp::Half { n }, .. }) => size(n, numbers),
        Operation::Quantized(Quantized::Dequantize(args)) => shape(&mut args.shape, numbers),
        Operation::Quantized(Quantized::QuantizedMatmul(args)) => shape(&mut args.rhs.shape, numbers),
        Operation::Elementwise(Elementwise::Unary { .. })
        | Operation::Elementwise(Elementwise::Binary { .. })
        | Operation::Elementwise(Elementwise::Compare { .. })
        | Operation::Elementwise(Elementwise::Clamp { .. })
        | Operation::Elementwise(Elementwise::MaskWhere { .. })
        | Operation::Elementwise(Elementwise::MaskFill { .. })
        | Operation::Elementwise(Elementwise::Cast { .. })
        | Operation::Layout(Layout::Permute { .. })
        | Operation::Layout(Layout::Flip { .. })
        | Operation::Layout(Layout::Cat { .. })
        | Operation::Reduction(Reduction::Reduce { .. })
        | Operation::Reduction(Reduction::ArgReduce { .. })
        | Operation::Reduction(Reduction::ReduceWithIndices { .. })
        | Operation::Reduction(Reduction::Cumulative { .. })
        | Operation::Order(Order::Sort { .. })
        | Operation::Order(Order::SortWithIndices { .. })
        | Operation::Index(Index::Gather { .. })
        | Operation::Index(Index::Scatter { .. })
        | Operation::Index(Index::Select { .. })
        | Operation::Index(Index::SelectAssign { .. })
        | Operation::Linalg(Linalg::Matmul { .. })
        | Operation::Linalg(Linalg::Factorize { .. })
        | Operation::Linalg(Linalg::Lu { .. })
        | Operation::Linalg(Linalg::Solve { .. })
        | Operation::Linalg(Linalg::SolveTriangular { .. })
        | Operation::Convolution(Convolution::Conv(_))
        | Operation::Pooling(Pooling::Pool(_))
        | Operation::Pooling(Pooling::MaxPoolWithIndices { .. })
        | Operation::Spectral(Spectral::Fft { .. })
        | Operation::Normalization(Normalization::Softmax { .. })
        | Operation::Normalization(Normalization::LogSoftmax { .. })
        | Operation::Normalization(Normalization::LayerNorm(_))
        | Operation::Normalization(Normalization::LayerNormGrad(_))
        | Operation::Attention(Attention::Attention(_))
        | Operation::Attention(Attention::AttentionGrad(_))
        | Operation::Attention(Attention::QuantizedAttention(_))
        | Operation::Attention(Attention::CachedAttention(_))
        | Operation::Quantized(Quantized::Quantize(_))
        | Operation::Quantized(Quantized::IntegerMatmul(_))
        | Operation::Quantized(Quantized::DequantizeBlocks(_))
        | Operation::Quantized(Quantized::BlockMatmul(_))
        | Operation::Recurrent(Recurrent::Recurrent(_))
        | Operation::Recurrent(Recurrent::RecurrentGrad(_)) => {}
    }
}
