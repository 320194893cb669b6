//! The kernel of each operation, by family.

use crate::NdTensor;
use crate::gemm::matmul;
#[cfg(feature = "attention")]
use crate::kernels::attention;
#[cfg(feature = "fourier")]
use crate::kernels::fft;
#[cfg(feature = "interpolation")]
use crate::kernels::interpolate;
#[cfg(feature = "linalg")]
use crate::kernels::linalg;
#[cfg(feature = "quantization")]
use crate::kernels::quantization;
#[cfg(feature = "recurrent")]
use crate::kernels::recurrent;
use crate::kernels::{
    arg_reduce, binary, cast, clamp, compare, conv, cumulative, index, layout, mask, norm, order, pool,
    reduce, softmax, unary,
};
use crate::left_out::with_feature;
use burn_backend::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order, Outputs,
    Pooling, Quantized, Recurrent, Reduction, Resize, Spectral,
};

#[inline(never)]
#[track_caller]
pub fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Operation::Elementwise(op) => elementwise(op),
        Operation::Layout(op) => layout(op),
        Operation::Reduction(op) => reduction(op),
        Operation::Order(op) => with_feature!("order", op.name(), order(op)),
        Operation::Index(op) => index(op),
        Operation::Linalg(op) => linalg(op),
        Operation::Convolution(op) => with_feature!("convolution", op.name(), convolution(op)),
        Operation::Pooling(op) => with_feature!("pooling", op.name(), pooling(op)),
        Operation::Resize(op) => with_feature!("interpolation", op.name(), resize(op)),
        Operation::Spectral(op) => with_feature!("fourier", op.name(), spectral(op)),
        Operation::Normalization(op) => normalization(op),
        Operation::Attention(op) => with_feature!("attention", op.name(), attention(op)),
        Operation::Quantized(op) => with_feature!("quantization", op.name(), quantized(op)),
        Operation::Recurrent(op) => with_feature!("recurrent", op.name(), recurrent(op)),
    }
}

#[track_caller]
fn elementwise(op: Elementwise<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Elementwise::Unary { op, x } => unary::unary(op, x).into(),
        Elementwise::Binary { op, lhs, rhs } => binary::binary(op, lhs, rhs).into(),
        Elementwise::BinaryScalar { op, lhs, rhs } => binary::binary_scalar(op, lhs, rhs).into(),
        Elementwise::Compare { op, lhs, rhs } => compare::compare(op, lhs, rhs).into(),
        Elementwise::CompareScalar { op, lhs, rhs } => compare::compare_scalar(op, lhs, rhs).into(),
        Elementwise::Clamp { x, min, max } => clamp::clamp(x, min, max).into(),
        Elementwise::MaskWhere { mask, on, off } => mask::mask_where(mask, on, off).into(),
        Elementwise::MaskFill { x, mask, value } => mask::mask_fill(x, mask, value).into(),
        Elementwise::Cast { x, dtype } => cast::cast(x, dtype).into(),
    }
}

#[track_caller]
fn layout(op: Layout<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Layout::Reshape { x, shape } => x.reshaped(shape).into(),
        Layout::Permute { x, axes } => layout::permute(x, &axes).into(),
        Layout::Expand { x, shape } => layout::expand(x, shape).into(),
        Layout::Flip { x, axes } => layout::flip(x, &axes).into(),
        Layout::Slice { x, slices } => layout::slice(x, &slices).into(),
        Layout::SliceAssign { x, slices, value } => layout::slice_assign(x, &slices, &value).into(),
        Layout::Cat { xs, dim } => layout::cat(xs, dim).into(),
        Layout::RepeatDim { x, dim, times } => layout::repeat_dim(x, dim, times).into(),
    }
}

#[track_caller]
fn reduction(op: Reduction<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Reduction::Reduce { op, x, dims } => reduce::reduce(op, x, &dims).into(),
        Reduction::ArgReduce { op, x, dim, index } => arg_reduce::arg_reduce(op, x, dim, index).into(),
        Reduction::ReduceWithIndices { op, x, dim, index } => {
            order::reduce_with_indices(op, x, dim, index).into()
        }
        Reduction::Cumulative { op, x, dim } => {
            with_feature!("order", op.name(), cumulative::cumulative(op, x, dim).into())
        }
    }
}

#[track_caller]
fn order(op: Order<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Order::Sort { x, dim, descending } => order::sort(x, dim, descending).into(),
        Order::SortWithIndices { x, dim, descending, index } => {
            order::sort_with_indices(x, dim, descending, index).into()
        }
        Order::TopK { x, k, dim, largest, index } => order::topk(x, k, dim, largest, index).into(),
    }
}

#[track_caller]
fn index(op: Index<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Index::Gather { x, dim, indices } => index::gather(&x, dim, indices).into(),
        Index::Scatter { x, dim, indices, value, update } => {
            index::scatter(x, dim, indices, value, update).into()
        }
        Index::Select { x, dim, indices } => index::select(x, dim, indices).into(),
        Index::SelectAssign { x, dim, indices, value, update } => {
            index::select_assign(x, dim, indices, value, update).into()
        }
    }
}

#[track_caller]
fn linalg(op: Linalg<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Linalg::Matmul { lhs, rhs } => matmul::matmul(lhs, rhs).into(),
        Linalg::Factorize { op, x } => {
            with_feature!("linalg", op.name(), linalg::factorize(op, x).into())
        }
        Linalg::Lu { x, index } => with_feature!("linalg", "lu", linalg::lu(x, index).into()),
        Linalg::Solve { a, b } => with_feature!("linalg", "solve", linalg::solve(a, b).into()),
        Linalg::SolveTriangular { a, b, triangle } => {
            with_feature!("linalg", "solve_triangular", linalg::solve_triangular(a, b, triangle).into())
        }
        #[cfg(feature = "test-operation")]
        op @ Linalg::Bilinear(_) => burn_backend::reference::decompose::<crate::NdArray>(op),
    }
}

#[track_caller]
fn convolution(op: Convolution<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Convolution::Conv(args) => conv::conv(*args).into(),
        Convolution::ConvTranspose(args) => {
            with_feature!("gradients", "conv_transpose", conv::conv_transpose(*args).into())
        }
        Convolution::ConvWeightGrad(args) => {
            with_feature!("gradients", "conv_weight_grad", conv::conv_weight_grad(*args).into())
        }
    }
}

#[track_caller]
fn pooling(op: Pooling<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Pooling::Pool(args) => pool::pool(*args).into(),
        Pooling::PoolGrad(args) => with_feature!("gradients", "pool_grad", pool::pool_grad(*args).into()),
        Pooling::MaxPoolWithIndices { x, options, index } => {
            pool::max_pool_with_indices(x, &options, index).into()
        }
        Pooling::AdaptiveAvgPool { x, size } => pool::adaptive_avg_pool(x, &size).into(),
        Pooling::AdaptiveAvgPoolGrad { grad, target } => {
            let op = "adaptive_avg_pool_grad";
            with_feature!("gradients", op, pool::adaptive_avg_pool_grad(grad, target).into())
        }
    }
}

#[cfg(feature = "interpolation")]
#[track_caller]
fn resize(op: Resize<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Resize::Interpolate { x, size, options } => interpolate::interpolate(x, &size, &options).into(),
        Resize::InterpolateGrad { grad, target, options } => {
            let op = "interpolate_grad";
            with_feature!("gradients", op, interpolate::interpolate_grad(grad, target, &options).into())
        }
    }
}

#[cfg(feature = "fourier")]
#[track_caller]
fn spectral(op: Spectral<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Spectral::Fft { op, x, dim } => fft::fft(op, x, dim).into(),
    }
}

#[track_caller]
fn normalization(op: Normalization<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Normalization::Softmax { x, dim } => softmax::softmax(x, dim).into(),
        Normalization::LogSoftmax { x, dim } => softmax::log_softmax(x, dim).into(),
        Normalization::LayerNorm(args) => norm::layer_norm(*args).into(),
        Normalization::LayerNormGrad(args) => {
            with_feature!("gradients", "layer_norm_grad", norm::layer_norm_grad(*args).into())
        }
    }
}

#[cfg(feature = "attention")]
#[track_caller]
fn attention(op: Attention<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Attention::Attention(args) => attention::attention(*args).into(),
        Attention::AttentionGrad(args) => attention::attention_grad(*args).into(),
        Attention::QuantizedAttention(args) => attention::quantized_attention(*args).into(),
        Attention::CachedAttention(args) => {
            burn_backend::reference::cached_attention::<crate::NdArray>(*args).into()
        }
    }
}

#[cfg(feature = "quantization")]
#[track_caller]
fn quantized(op: Quantized<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Quantized::Quantize(args) => quantization::quantize(*args).into(),
        Quantized::Dequantize(args) => quantization::dequantize(*args).into(),
        Quantized::QuantizedMatmul(args) => quantization::quantized_matmul(*args).into(),
        Quantized::IntegerMatmul(args) => quantization::integer_matmul(*args).into(),
        #[cfg(feature = "std")]
        Quantized::DequantizeBlocks(x) => quantization::dequantize_blocks(*x).into(),
        #[cfg(feature = "std")]
        Quantized::BlockMatmul(args) => quantization::block_matmul(*args).into(),
        // Chips have no files of blocks, and no room for the kernels of ten formats.
        #[cfg(not(feature = "std"))]
        op @ (Quantized::DequantizeBlocks(_) | Quantized::BlockMatmul(_)) => {
            burn_backend::reference::decompose::<crate::NdArray>(op)
        }
    }
}

#[cfg(feature = "recurrent")]
#[track_caller]
fn recurrent(op: Recurrent<NdTensor>) -> Outputs<NdTensor> {
    match op {
        Recurrent::Recurrent(args) => recurrent::recurrent(*args).into(),
        Recurrent::RecurrentGrad(args) => recurrent::recurrent_grad(*args).into(),
    }
}
