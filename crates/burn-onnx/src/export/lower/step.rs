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

fn call(to: &mut Lowering<'_>, operation: &Operation<Value>, results: &[Value]) -> Outcome<Vec<String>> {
    let result = results[0];
    match operation {
        Operation::Elementwise(Elementwise::Unary { op, x }) => one(Ok(unary::lower(to, *op, *x))),
        Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }) => {
            one(binary::lower(to, *op, *lhs, *rhs, result))
        }
        Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs }) => {
            one(binary::with_scalar(to, *op, *lhs, *rhs))
        }
        Operation::Elementwise(Elementwise::Compare { op, lhs, rhs }) => {
            one(binary::compare(to, *op, *lhs, *rhs, result))
        }
        Operation::Elementwise(Elementwise::CompareScalar { op, lhs, rhs }) => {
            one(binary::compare_scalar(to, *op, *lhs, *rhs))
        }
        Operation::Elementwise(Elementwise::Clamp { x, min, max }) => {
            one(Ok(unary::clamp(to, *x, *min, *max)))
        }
        Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }) => {
            one(Ok(binary::mask_where(to, *mask, *on, *off)))
        }
        Operation::Elementwise(Elementwise::MaskFill { x, mask, value }) => {
            one(Ok(binary::mask_fill(to, *x, *mask, *value)))
        }
        Operation::Elementwise(Elementwise::Cast { x, dtype }) => {
            let name = to.name(*x);
            one(Ok(to.cast(&name, *dtype)))
        }
        Operation::Layout(Layout::Reshape { x, shape: _ }) => one(layout::reshape(to, *x, result)),
        Operation::Layout(Layout::Permute { x, axes }) => {
            let name = to.name(*x);
            one(Ok(to.transpose(&name, axes.iter().copied())))
        }
        Operation::Layout(Layout::Expand { x, shape: _ }) => one(layout::expand(to, *x, result)),
        Operation::Layout(Layout::Flip { x, axes }) => one(Ok(slice::flip(to, *x, axes))),
        Operation::Layout(Layout::Slice { x, slices }) => one(slice::slice(to, *x, slices)),
        Operation::Layout(Layout::SliceAssign { x, slices, value }) => {
            one(slice::assign(to, *x, slices, *value))
        }
        Operation::Layout(Layout::Cat { xs, dim }) => one(Ok(layout::cat(to, xs, *dim))),
        Operation::Layout(Layout::RepeatDim { x, dim, times: _ }) => one(layout::repeat(to, *x, *dim)),
        Operation::Reduction(Reduction::Reduce { op, x, dims }) => one(Ok(reduce::reduce(to, *op, *x, dims))),
        Operation::Reduction(Reduction::ArgReduce { op, x, dim, index }) => {
            one(Ok(reduce::arg(to, *op, *x, *dim, *index)))
        }
        Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index }) => {
            Ok(reduce::with_indices(to, *op, *x, *dim, *index))
        }
        Operation::Reduction(Reduction::Cumulative { op, x, dim }) => {
            one(reduce::cumulative(to, *op, *x, *dim))
        }
        Operation::Order(Order::Sort { x, dim, descending }) => {
            Ok(vec![sort::sort(to, *x, *dim, *descending)?.remove(0)])
        }
        Operation::Order(Order::SortWithIndices { x, dim, descending, index }) => {
            let names = sort::sort(to, *x, *dim, *descending)?;
            Ok(sort::with_index_type(to, names, *index))
        }
        Operation::Order(Order::TopK { x, k: _, dim, largest, index }) => {
            let names = sort::top(to, *x, *dim, *largest)?;
            Ok(sort::with_index_type(to, names, *index))
        }
        Operation::Index(Index::Gather { x, dim, indices }) => one(Ok(index::gather(to, *x, *dim, *indices))),
        Operation::Index(Index::Scatter { x, dim, indices, value, update }) => {
            one(Ok(index::scatter(to, *x, *dim, *indices, *value, *update)))
        }
        Operation::Index(Index::Select { x, dim, indices }) => one(Ok(index::select(to, *x, *dim, *indices))),
        Operation::Index(Index::SelectAssign { x, dim, indices, value, update }) => {
            one(Ok(index::select_assign(to, *x, *dim, *indices, *value, *update)))
        }
        Operation::Linalg(Linalg::Matmul { lhs, rhs }) => one(Ok(binary::matmul(to, *lhs, *rhs, result))),
        Operation::Convolution(Convolution::Conv(args)) => one(convolution::conv(to, args)),
        Operation::Convolution(Convolution::ConvTranspose(args)) => one(convolution::transposed(to, args)),
        Operation::Pooling(Pooling::Pool(args)) => one(Ok(pool::pool(to, args))),
        Operation::Pooling(Pooling::MaxPoolWithIndices { x, options, index }) => {
            pool::with_indices(to, *x, options, *index)
        }
        Operation::Pooling(Pooling::AdaptiveAvgPool { x, size: _ }) => one(pool::adaptive(to, *x)),
        Operation::Spectral(Spectral::Fft { op, x, dim }) => one(fourier::lower(to, *op, *x, *dim, result)),
        Operation::Normalization(Normalization::Softmax { x, dim }) => {
            one(Ok(activation::softmax(to, "Softmax", *x, *dim)))
        }
        Operation::Normalization(Normalization::LogSoftmax { x, dim }) => {
            one(Ok(activation::softmax(to, "LogSoftmax", *x, *dim)))
        }
        Operation::Normalization(Normalization::LayerNorm(args)) => one(normalization::layer_norm(to, args)),
        Operation::Attention(Attention::Attention(args)) => attention::lower(to, args, results),
        Operation::Resize(Resize::Interpolate { x, size: _, options }) => {
            one(interpolate::lower(to, *x, options))
        }
        Operation::Quantized(Quantized::Dequantize(args)) => one(quantize::dequantize(to, args)),
        Operation::Quantized(Quantized::QuantizedMatmul(args)) => one(quantize::matmul(to, args)),
        Operation::Quantized(Quantized::DequantizeBlocks(args)) => one(quantize::dequantize_blocks(to, args)),
        Operation::Quantized(Quantized::BlockMatmul(args)) => one(quantize::block_matmul(to, args)),
        Operation::Recurrent(Recurrent::Recurrent(args)) => recurrent::lower(to, args, results),
        Operation::Quantized(Quantized::Quantize(_)) | Operation::Quantized(Quantized::IntegerMatmul(_)) => {
            fail!("numbers are quantized while the model runs; export the floats")
        }
        Operation::Linalg(Linalg::Factorize { .. })
        | Operation::Linalg(Linalg::Lu { .. })
        | Operation::Linalg(Linalg::Solve { .. })
        | Operation::Linalg(Linalg::SolveTriangular { .. }) => {
            fail!("ONNX has no operator for it")
        }
        Operation::Convolution(Convolution::ConvWeightGrad(_))
        | Operation::Pooling(Pooling::PoolGrad(_))
        | Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { .. })
        | Operation::Normalization(Normalization::LayerNormGrad(_))
        | Operation::Attention(Attention::AttentionGrad(_))
        | Operation::Resize(Resize::InterpolateGrad { .. })
        | Operation::Recurrent(Recurrent::RecurrentGrad(_)) => {
            fail!("it is a gradient, which ONNX has no operator for; export the forward pass")
        }
    }
}
