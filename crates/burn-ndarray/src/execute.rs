//! The kernel of each operation, by family.

use crate::NdTensor;
use crate::gemm::matmul;
use crate::kernels::{
    arg_reduce, attention, binary, cast, clamp, compare, conv, fft, index, interpolate, layout, linalg, mask,
    norm, order, pool, quantization, recurrent, reduce, scan, softmax, unary,
};
use burn_backend::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order, Outputs,
    Pooling, Quantized, Recurrent, Reduction, Resize, Spectral,
};

/// One match for all families: an operation is moved once, from the caller into its kernel.
#[inline(never)]
#[track_caller]
pub fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Operation::Elementwise(Elementwise::Unary { op, x }) => unary::unary(op, x).into(),
        Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }) => binary::binary(op, lhs, rhs).into(),
        Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs }) => {
            binary::binary_scalar(op, lhs, rhs).into()
        }
        Operation::Elementwise(Elementwise::Compare { op, lhs, rhs }) => {
            compare::compare(op, lhs, rhs).into()
        }
        Operation::Elementwise(Elementwise::CompareScalar { op, lhs, rhs }) => {
            compare::compare_scalar(op, lhs, rhs).into()
        }
        Operation::Elementwise(Elementwise::Clamp { x, min, max }) => clamp::clamp(x, min, max).into(),
        Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }) => {
            mask::mask_where(mask, on, off).into()
        }
        Operation::Elementwise(Elementwise::MaskFill { x, mask, value }) => {
            mask::mask_fill(x, mask, value).into()
        }
        Operation::Elementwise(Elementwise::Cast { x, dtype }) => cast::cast(x, dtype).into(),
        Operation::Layout(Layout::Reshape { x, shape }) => x.reshaped(shape).into(),
        Operation::Layout(Layout::Permute { x, axes }) => layout::permute(x, &axes).into(),
        Operation::Layout(Layout::Expand { x, shape }) => layout::expand(x, shape).into(),
        Operation::Layout(Layout::Flip { x, axes }) => layout::flip(x, &axes).into(),
        Operation::Layout(Layout::Slice { x, slices }) => layout::slice(x, &slices).into(),
        Operation::Layout(Layout::SliceAssign { x, slices, value }) => {
            layout::slice_assign(x, &slices, &value).into()
        }
        Operation::Layout(Layout::Cat { xs, dim }) => layout::cat(xs, dim).into(),
        Operation::Layout(Layout::RepeatDim { x, dim, times }) => layout::repeat_dim(x, dim, times).into(),
        Operation::Reduction(Reduction::Reduce { op, x, dims }) => reduce::reduce(op, x, &dims).into(),
        Operation::Reduction(Reduction::ArgReduce { op, x, dim, index }) => {
            arg_reduce::arg_reduce(op, x, dim, index).into()
        }
        Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index }) => {
            order::reduce_with_indices(op, x, dim, index).into()
        }
        Operation::Reduction(Reduction::Cumulative { op, x, dim }) => scan::cumulative(op, x, dim).into(),
        Operation::Order(Order::Sort { x, dim, descending }) => order::sort(x, dim, descending).into(),
        Operation::Order(Order::SortWithIndices { x, dim, descending, index }) => {
            order::sort_with_indices(x, dim, descending, index).into()
        }
        Operation::Order(Order::TopK { x, k, dim, largest, index }) => {
            order::topk(x, k, dim, largest, index).into()
        }
        Operation::Index(Index::Gather { x, dim, indices }) => index::gather(&x, dim, indices).into(),
        Operation::Index(Index::Scatter { x, dim, indices, value, update }) => {
            index::scatter(x, dim, indices, value, update).into()
        }
        Operation::Index(Index::Select { x, dim, indices }) => index::select(x, dim, indices).into(),
        Operation::Index(Index::SelectAssign { x, dim, indices, value, update }) => {
            index::select_assign(x, dim, indices, value, update).into()
        }
        Operation::Linalg(Linalg::Matmul { lhs, rhs }) => matmul::matmul(lhs, rhs).into(),
        Operation::Linalg(Linalg::Factorize { op, x }) => linalg::factorize(op, x).into(),
        Operation::Linalg(Linalg::Lu { x, index }) => linalg::lu(x, index).into(),
        Operation::Linalg(Linalg::Solve { a, b }) => linalg::solve(a, b).into(),
        Operation::Linalg(Linalg::SolveTriangular { a, b, triangle }) => {
            linalg::solve_triangular(a, b, triangle).into()
        }
        Operation::Convolution(Convolution::Conv(args)) => conv::conv(*args).into(),
        Operation::Convolution(Convolution::ConvTranspose(args)) => conv::conv_transpose(*args).into(),
        Operation::Convolution(Convolution::ConvWeightGrad(args)) => conv::conv_weight_grad(*args).into(),
        Operation::Pooling(Pooling::Pool(args)) => pool::pool(*args).into(),
        Operation::Pooling(Pooling::PoolGrad(args)) => pool::pool_grad(*args).into(),
        Operation::Pooling(Pooling::MaxPoolWithIndices { x, options, index }) => {
            pool::max_pool_with_indices(x, &options, index).into()
        }
        Operation::Pooling(Pooling::AdaptiveAvgPool { x, size }) => pool::adaptive_avg_pool(x, &size).into(),
        Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad, target }) => {
            pool::adaptive_avg_pool_grad(grad, target).into()
        }
        Operation::Resize(Resize::Interpolate { x, size, options }) => {
            interpolate::interpolate(x, &size, &options).into()
        }
        Operation::Resize(Resize::InterpolateGrad { grad, target, options }) => {
            interpolate::interpolate_grad(grad, target, &options).into()
        }
        Operation::Spectral(Spectral::Fft { op, x, dim }) => fft::fft(op, x, dim).into(),
        Operation::Normalization(Normalization::Softmax { x, dim }) => softmax::softmax(x, dim).into(),
        Operation::Normalization(Normalization::LogSoftmax { x, dim }) => softmax::log_softmax(x, dim).into(),
        Operation::Normalization(Normalization::LayerNorm(args)) => norm::layer_norm(*args).into(),
        Operation::Normalization(Normalization::LayerNormGrad(args)) => norm::layer_norm_grad(*args).into(),
        Operation::Attention(Attention::Attention(args)) => attention::attention(*args).into(),
        Operation::Attention(Attention::AttentionGrad(args)) => attention::attention_grad(*args).into(),
        Operation::Quantized(Quantized::Quantize(args)) => quantization::quantize(*args).into(),
        Operation::Quantized(Quantized::Dequantize(args)) => quantization::dequantize(*args).into(),
        Operation::Quantized(Quantized::QuantizedMatmul(args)) => {
            quantization::quantized_matmul(*args).into()
        }
        Operation::Quantized(Quantized::IntegerMatmul(args)) => quantization::integer_matmul(*args).into(),
        Operation::Recurrent(Recurrent::Recurrent(args)) => recurrent::recurrent(*args).into(),
        Operation::Recurrent(Recurrent::RecurrentGrad(args)) => recurrent::recurrent_grad(*args).into(),
    }
}
