use super::lowering::Lowering;
use super::{
    activation, attention, binary, convolution, create, fourier, index, interpolate, layout, normalization,
    pool, quantize, recurrent, reduce, slice, sort, unary,
};
use crate::error::{Outcome, fail};
use burn_capture::{Step, Value};
use burn_ir::Operation;

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
    use Operation::*;
    let result = results[0];
    match operation {
        Unary { op, x } => one(Ok(unary::lower(to, *op, *x))),
        Binary { op, lhs, rhs } => one(binary::lower(to, *op, *lhs, *rhs, result)),
        BinaryScalar { op, lhs, rhs } => one(binary::with_scalar(to, *op, *lhs, *rhs)),
        Compare { op, lhs, rhs } => one(binary::compare(to, *op, *lhs, *rhs, result)),
        CompareScalar { op, lhs, rhs } => one(binary::compare_scalar(to, *op, *lhs, *rhs)),
        Clamp { x, min, max } => one(Ok(unary::clamp(to, *x, *min, *max))),
        MaskWhere { mask, on, off } => one(Ok(binary::mask_where(to, *mask, *on, *off))),
        MaskFill { x, mask, value } => one(Ok(binary::mask_fill(to, *x, *mask, *value))),
        Cast { x, dtype } => {
            let name = to.name(*x);
            one(Ok(to.cast(&name, *dtype)))
        }
        Reshape { x, shape: _ } => one(layout::reshape(to, *x, result)),
        Permute { x, axes } => {
            let name = to.name(*x);
            one(Ok(to.transpose(&name, axes.iter().copied())))
        }
        Expand { x, shape: _ } => one(layout::expand(to, *x, result)),
        Flip { x, axes } => one(Ok(slice::flip(to, *x, axes))),
        Slice { x, slices } => one(slice::slice(to, *x, slices)),
        SliceAssign { x, slices, value } => one(slice::assign(to, *x, slices, *value)),
        Cat { xs, dim } => one(Ok(layout::cat(to, xs, *dim))),
        RepeatDim { x, dim, times: _ } => one(layout::repeat(to, *x, *dim)),
        Reduce { op, x, dims } => one(Ok(reduce::reduce(to, *op, *x, dims))),
        ArgReduce { op, x, dim, index } => one(Ok(reduce::arg(to, *op, *x, *dim, *index))),
        ReduceWithIndices { op, x, dim, index } => Ok(reduce::with_indices(to, *op, *x, *dim, *index)),
        Cumulative { op, x, dim } => one(reduce::cumulative(to, *op, *x, *dim)),
        Sort { x, dim, descending } => Ok(vec![sort::sort(to, *x, *dim, *descending)?.remove(0)]),
        SortWithIndices { x, dim, descending, index } => {
            let names = sort::sort(to, *x, *dim, *descending)?;
            Ok(sort::with_index_type(to, names, *index))
        }
        TopK { x, k: _, dim, largest, index } => {
            let names = sort::top(to, *x, *dim, *largest)?;
            Ok(sort::with_index_type(to, names, *index))
        }
        Gather { x, dim, indices } => one(Ok(index::gather(to, *x, *dim, *indices))),
        Scatter { x, dim, indices, value, update } => {
            one(Ok(index::scatter(to, *x, *dim, *indices, *value, *update)))
        }
        Select { x, dim, indices } => one(Ok(index::select(to, *x, *dim, *indices))),
        SelectAssign { x, dim, indices, value, update } => {
            one(Ok(index::select_assign(to, *x, *dim, *indices, *value, *update)))
        }
        Matmul { lhs, rhs } => one(Ok(binary::matmul(to, *lhs, *rhs, result))),
        Conv(args) => one(convolution::conv(to, args)),
        ConvTranspose(args) => one(convolution::transposed(to, args)),
        Pool(args) => one(Ok(pool::pool(to, args))),
        MaxPoolWithIndices { x, options, index } => pool::with_indices(to, *x, options, *index),
        AdaptiveAvgPool { x, size: _ } => one(pool::adaptive(to, *x)),
        Fft { op, x, dim } => one(fourier::lower(to, *op, *x, *dim, result)),
        Softmax { x, dim } => one(Ok(activation::softmax(to, "Softmax", *x, *dim))),
        LogSoftmax { x, dim } => one(Ok(activation::softmax(to, "LogSoftmax", *x, *dim))),
        LayerNorm(args) => one(normalization::layer_norm(to, args)),
        Attention(args) => attention::lower(to, args, results),
        Interpolate { x, size: _, options } => one(interpolate::lower(to, *x, options)),
        Dequantize(args) => one(quantize::dequantize(to, args)),
        QuantizedMatmul(args) => one(quantize::matmul(to, args)),
        Recurrent(args) => recurrent::lower(to, args, results),
        Quantize(_) | IntegerMatmul(_) => {
            fail!("numbers are quantized while the model runs; export the floats")
        }
        Factorize { .. } | Lu { .. } | Solve { .. } | SolveTriangular { .. } => {
            fail!("ONNX has no operator for it")
        }
        ConvWeightGrad(_)
        | PoolGrad(_)
        | AdaptiveAvgPoolGrad { .. }
        | LayerNormGrad(_)
        | AttentionGrad(_)
        | InterpolateGrad { .. }
        | RecurrentGrad(_) => {
            fail!("it is a gradient, which ONNX has no operator for; export the forward pass")
        }
    }
}
