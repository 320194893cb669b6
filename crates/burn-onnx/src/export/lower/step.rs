use super::lowering::Lowering;
use super::{
    activation, attention, binary, convolution, create, fourier, index, interpolate, layout, normalization,
    pool, quantize, recurrent, reduce, slice, sort, unary,
};
use crate::error::{Outcome, fail};
use burn_capture::{Step, Value};
use burn_ir::Operation;
use burn_ir::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Order, Pooling, Quantized,
    Recurrent, Reduction, Resize, Spectral,
};

/// Writes a step, and returns the names of its results.
pub(super) fn lower(to: &mut Lowering<'_>, step: &Step<Value>, results: &[Value]) -> Outcome<Vec<String>> {
    match step {
        Step::Create(creation) => Ok(vec![create::lower(to, creation, results[0])?]),
        Step::Call(operation) => call(to, operation, results),
        Step::ArgWhere { .. } => {
            fail!("the number of elements that it finds depends on values, and later sizes are fixed by it")
        }
    }
}

fn one(name: Outcome<String>) -> Outcome<Vec<String>> {
    Ok(vec![name?])
}

/// Fails for an operation that computes a gradient.
fn refuse_gradient() -> Outcome<Vec<String>> {
    fail!("it is a gradient, which ONNX has no operator for; export the forward pass")
}

fn call(to: &mut Lowering<'_>, operation: &Operation<Value>, results: &[Value]) -> Outcome<Vec<String>> {
    let result = results[0];
    match operation {
        Operation::Elementwise(op) => elementwise(to, op, result),
        Operation::Layout(op) => rearrange(to, op, result),
        Operation::Reduction(op) => reduction(to, op),
        Operation::Order(op) => ordering(to, op),
        Operation::Index(op) => indexing(to, op),
        Operation::Linalg(op) => linear_algebra(to, op, result),
        Operation::Convolution(op) => convolve(to, op),
        Operation::Pooling(op) => pooling(to, op),
        Operation::Spectral(Spectral::Fft { op, x, dim }) => one(fourier::lower(to, *op, *x, *dim, result)),
        Operation::Normalization(op) => normalize(to, op),
        Operation::Attention(op) => match op {
            Attention::Attention(args) => attention::lower(to, args, results),
            Attention::AttentionGrad(_) => refuse_gradient(),
            Attention::QuantizedAttention(_) => {
                fail!("keys and values are quantized while the model runs; export the floats")
            }
            Attention::CachedAttention(_) => {
                fail!("a step of decoding updates a cache; export the model without one")
            }
        },
        Operation::Resize(op) => match op {
            Resize::Interpolate { x, size: _, options } => one(interpolate::lower(to, *x, options)),
            Resize::InterpolateGrad { .. } => refuse_gradient(),
        },
        Operation::Quantized(op) => quantized(to, op),
        Operation::Recurrent(op) => match op {
            Recurrent::Recurrent(args) => recurrent::lower(to, args, results),
            Recurrent::RecurrentGrad(_) => refuse_gradient(),
        },
    }
}

fn elementwise(to: &mut Lowering<'_>, op: &Elementwise<Value>, result: Value) -> Outcome<Vec<String>> {
    match op {
        Elementwise::Unary { op, x } => one(Ok(unary::lower(to, *op, *x))),
        Elementwise::Binary { op, lhs, rhs } => one(binary::lower(to, *op, *lhs, *rhs, result)),
        Elementwise::BinaryScalar { op, lhs, rhs } => one(binary::with_scalar(to, *op, *lhs, *rhs)),
        Elementwise::Compare { op, lhs, rhs } => one(binary::compare(to, *op, *lhs, *rhs, result)),
        Elementwise::CompareScalar { op, lhs, rhs } => one(binary::compare_scalar(to, *op, *lhs, *rhs)),
        Elementwise::Clamp { x, min, max } => one(Ok(unary::clamp(to, *x, *min, *max))),
        Elementwise::MaskWhere { mask, on, off } => one(Ok(binary::mask_where(to, *mask, *on, *off))),
        Elementwise::MaskFill { x, mask, value } => one(Ok(binary::mask_fill(to, *x, *mask, *value))),
        Elementwise::Cast { x, dtype } => {
            let name = to.name(*x);
            one(Ok(to.cast(&name, *dtype)))
        }
    }
}

fn rearrange(to: &mut Lowering<'_>, op: &Layout<Value>, result: Value) -> Outcome<Vec<String>> {
    match op {
        Layout::Reshape { x, shape: _ } => one(layout::reshape(to, *x, result)),
        Layout::Permute { x, axes } => {
            let name = to.name(*x);
            one(Ok(to.transpose(&name, axes.iter().copied())))
        }
        Layout::Expand { x, shape: _ } => one(layout::expand(to, *x, result)),
        Layout::Flip { x, axes } => one(Ok(slice::flip(to, *x, axes))),
        Layout::Slice { x, slices } => one(slice::slice(to, *x, slices)),
        Layout::SliceAssign { x, slices, value } => one(slice::assign(to, *x, slices, *value)),
        Layout::Cat { xs, dim } => one(Ok(layout::cat(to, xs, *dim))),
        Layout::RepeatDim { x, dim, times: _ } => one(layout::repeat(to, *x, *dim)),
    }
}

fn reduction(to: &mut Lowering<'_>, op: &Reduction<Value>) -> Outcome<Vec<String>> {
    match op {
        Reduction::Reduce { op, x, dims } => one(Ok(reduce::reduce(to, *op, *x, dims))),
        Reduction::ArgReduce { op, x, dim, index } => one(Ok(reduce::arg(to, *op, *x, *dim, *index))),
        Reduction::ReduceWithIndices { op, x, dim, index } => {
            Ok(reduce::with_indices(to, *op, *x, *dim, *index))
        }
        Reduction::Cumulative { op, x, dim } => one(reduce::cumulative(to, *op, *x, *dim)),
    }
}

fn ordering(to: &mut Lowering<'_>, op: &Order<Value>) -> Outcome<Vec<String>> {
    match op {
        Order::Sort { x, dim, descending } => Ok(vec![sort::sort(to, *x, *dim, *descending)?.remove(0)]),
        Order::SortWithIndices { x, dim, descending, index } => {
            let names = sort::sort(to, *x, *dim, *descending)?;
            Ok(sort::with_index_type(to, names, *index))
        }
        Order::TopK { x, k: _, dim, largest, index } => {
            let names = sort::top(to, *x, *dim, *largest)?;
            Ok(sort::with_index_type(to, names, *index))
        }
    }
}

fn indexing(to: &mut Lowering<'_>, op: &Index<Value>) -> Outcome<Vec<String>> {
    match op {
        Index::Gather { x, dim, indices } => one(Ok(index::gather(to, *x, *dim, *indices))),
        Index::Scatter { x, dim, indices, value, update } => {
            one(Ok(index::scatter(to, *x, *dim, *indices, *value, *update)))
        }
        Index::Select { x, dim, indices } => one(Ok(index::select(to, *x, *dim, *indices))),
        Index::SelectAssign { x, dim, indices, value, update } => {
            one(Ok(index::select_assign(to, *x, *dim, *indices, *value, *update)))
        }
    }
}

fn linear_algebra(to: &mut Lowering<'_>, op: &Linalg<Value>, result: Value) -> Outcome<Vec<String>> {
    match op {
        Linalg::Matmul { lhs, rhs } => one(Ok(binary::matmul(to, *lhs, *rhs, result))),
        Linalg::Factorize { .. }
        | Linalg::Lu { .. }
        | Linalg::Solve { .. }
        | Linalg::SolveTriangular { .. } => {
            fail!("ONNX has no operator for it")
        }
    }
}

fn convolve(to: &mut Lowering<'_>, op: &Convolution<Value>) -> Outcome<Vec<String>> {
    match op {
        Convolution::Conv(args) => one(convolution::conv(to, args)),
        Convolution::ConvTranspose(args) => one(convolution::transposed(to, args)),
        Convolution::ConvWeightGrad(_) => refuse_gradient(),
    }
}

fn pooling(to: &mut Lowering<'_>, op: &Pooling<Value>) -> Outcome<Vec<String>> {
    match op {
        Pooling::Pool(args) => one(Ok(pool::pool(to, args))),
        Pooling::MaxPoolWithIndices { x, options, index } => pool::with_indices(to, *x, options, *index),
        Pooling::AdaptiveAvgPool { x, size: _ } => one(pool::adaptive(to, *x)),
        Pooling::PoolGrad(_) | Pooling::AdaptiveAvgPoolGrad { .. } => refuse_gradient(),
    }
}

fn normalize(to: &mut Lowering<'_>, op: &Normalization<Value>) -> Outcome<Vec<String>> {
    match op {
        Normalization::Softmax { x, dim } => one(Ok(activation::softmax(to, "Softmax", *x, *dim))),
        Normalization::LogSoftmax { x, dim } => one(Ok(activation::softmax(to, "LogSoftmax", *x, *dim))),
        Normalization::LayerNorm(args) => one(normalization::layer_norm(to, args)),
        Normalization::LayerNormGrad(_) => refuse_gradient(),
    }
}

fn quantized(to: &mut Lowering<'_>, op: &Quantized<Value>) -> Outcome<Vec<String>> {
    match op {
        Quantized::Dequantize(args) => one(quantize::dequantize(to, args)),
        Quantized::QuantizedMatmul(args) => one(quantize::matmul(to, args)),
        Quantized::DequantizeBlocks(args) => one(quantize::dequantize_blocks(to, args)),
        Quantized::BlockMatmul(args) => one(quantize::block_matmul(to, args)),
        Quantized::Quantize(_) | Quantized::IntegerMatmul(_) => {
            fail!("numbers are quantized while the model runs; export the floats")
        }
    }
}
