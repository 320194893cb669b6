use crate::Backend;
use burn_ir::{Creation, Operation, Outputs};

/// Turns a value into the typed call it describes: what a leaf answers to [`Backend::execute`]. Tensors move,
/// so buffers are reused as in a direct call.
#[track_caller]
pub fn dispatch<B: Backend>(op: Operation<B::Tensor>) -> Outputs<B::Tensor> {
    use Operation::*;
    match op {
        Unary { op, x } => B::unary(op, x).into(),
        Binary { op, lhs, rhs } => B::binary(op, lhs, rhs).into(),
        BinaryScalar { op, lhs, rhs } => B::binary_scalar(op, lhs, rhs).into(),
        Compare { op, lhs, rhs } => B::compare(op, lhs, rhs).into(),
        CompareScalar { op, lhs, rhs } => B::compare_scalar(op, lhs, rhs).into(),
        Clamp { x, min, max } => B::clamp(x, min, max).into(),
        MaskWhere { mask, on, off } => B::mask_where(mask, on, off).into(),
        MaskFill { x, mask, value } => B::mask_fill(x, mask, value).into(),
        Cast { x, dtype } => B::cast(x, dtype).into(),
        Reshape { x, shape } => B::reshape(x, shape).into(),
        Permute { x, axes } => B::permute(x, axes).into(),
        Expand { x, shape } => B::expand(x, shape).into(),
        Flip { x, axes } => B::flip(x, axes).into(),
        Slice { x, slices } => B::slice(x, slices).into(),
        SliceAssign { x, slices, value } => B::slice_assign(x, slices, value).into(),
        Cat { xs, dim } => B::cat(xs, dim).into(),
        RepeatDim { x, dim, times } => B::repeat_dim(x, dim, times).into(),
        Reduce { op, x, dims } => B::reduce(op, x, dims).into(),
        ArgReduce { op, x, dim, index } => B::arg_reduce(op, x, dim, index).into(),
        ReduceWithIndices { op, x, dim, index } => B::reduce_with_indices(op, x, dim, index).into(),
        Cumulative { op, x, dim } => B::cumulative(op, x, dim).into(),
        Sort { x, dim, descending } => B::sort(x, dim, descending).into(),
        SortWithIndices { x, dim, descending, index } => {
            B::sort_with_indices(x, dim, descending, index).into()
        }
        TopK { x, k, dim, largest, index } => B::topk(x, k, dim, largest, index).into(),
        Gather { x, dim, indices } => B::gather(x, dim, indices).into(),
        Scatter { x, dim, indices, value, update } => B::scatter(x, dim, indices, value, update).into(),
        Select { x, dim, indices } => B::select(x, dim, indices).into(),
        SelectAssign { x, dim, indices, value, update } => {
            B::select_assign(x, dim, indices, value, update).into()
        }
        Matmul { lhs, rhs } => B::matmul(lhs, rhs).into(),
        Factorize { op, x } => B::factorize(op, x).into(),
        Lu { x, index } => B::lu(x, index).into(),
        Solve { a, b } => B::solve(a, b).into(),
        SolveTriangular { a, b, triangle } => B::solve_triangular(a, b, triangle).into(),
        Conv(args) => B::conv(*args).into(),
        ConvTranspose(args) => B::conv_transpose(*args).into(),
        ConvWeightGrad(args) => B::conv_weight_grad(*args).into(),
        Pool(args) => B::pool(*args).into(),
        PoolGrad(args) => B::pool_grad(*args).into(),
        MaxPoolWithIndices { x, options, index } => B::max_pool_with_indices(x, *options, index).into(),
        AdaptiveAvgPool { x, size } => B::adaptive_avg_pool(x, size).into(),
        AdaptiveAvgPoolGrad { grad, target } => B::adaptive_avg_pool_grad(grad, target).into(),
        Interpolate { x, size, options } => B::interpolate(x, size, *options).into(),
        InterpolateGrad { grad, target, options } => B::interpolate_grad(grad, target, *options).into(),
        Fft { op, x, dim } => B::fft(op, x, dim).into(),
        Softmax { x, dim } => B::softmax(x, dim).into(),
        LogSoftmax { x, dim } => B::log_softmax(x, dim).into(),
        LayerNorm(args) => B::layer_norm(*args).into(),
        LayerNormGrad(args) => B::layer_norm_grad(*args).into(),
        Attention(args) => B::attention(*args).into(),
        AttentionGrad(args) => B::attention_grad(*args).into(),
        Quantize(args) => B::quantize(*args).into(),
        Dequantize(x) => B::dequantize(*x).into(),
        QuantizedMatmul(args) => B::quantized_matmul(*args).into(),
        IntegerMatmul(args) => B::integer_matmul(*args).into(),
        Recurrent(args) => B::recurrent(*args).into(),
        RecurrentGrad(args) => B::recurrent_grad(*args).into(),
    }
}

/// [`dispatch`] for values that come from no tensor.
pub fn create<B: Backend>(creation: Creation, device: &B::Device) -> B::Tensor {
    match creation {
        Creation::Data(data) => B::from_data(data, device),
        Creation::Full { spec, value } => B::full(spec, value, device),
        Creation::Range { spec, start, step } => B::range(spec, start, step, device),
        Creation::Random { spec, distribution } => B::random(spec, distribution, device),
    }
}
