//! The kernels of each operation, by family.
//!
//! Operations in `ops` are below and never name the leaf: where one has no kernel for a call, it is given a
//! composition from here.

use crate::launch::tensor::CubeTensor;
use crate::ops::elementwise::elementwise;
use crate::ops::{
    attention, attention_few, cumulative, fft, index, interpolate, layout, matmul, norm, quantization,
    recurrent, reduce, softmax, sort, window,
};
use burn_backend::{
    Attention, Convolution, DType, Index, Layout, Linalg, Normalization, Operation, Order, Outputs, Pooling,
    Quantized, Recurrent, Reduction, Resize, Spectral, reference,
};

/// The backend without its type parameters, which no kernel knows: what programs call is compiled here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leaf;

#[inline(never)]
#[track_caller]
pub fn execute(op: Operation<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Operation::Elementwise(op) => elementwise(op).into(),
        Operation::Layout(op) => layout(op),
        Operation::Reduction(op) => reduction(op),
        Operation::Order(op) => order(op),
        Operation::Index(op) => index(op),
        Operation::Linalg(op) => linalg(op),
        Operation::Convolution(op) => convolution(op),
        Operation::Pooling(op) => pooling(op),
        Operation::Resize(op) => resize(op),
        Operation::Spectral(op) => spectral(op),
        Operation::Normalization(op) => normalization(op),
        Operation::Attention(op) => attention(op),
        Operation::Quantized(op) => quantized(op),
        Operation::Recurrent(op) => recurrent(op),
    }
}

#[track_caller]
fn layout(op: Layout<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Layout::Reshape { x, shape } => layout::reshape(x, shape).into(),
        Layout::Permute { x, axes } => layout::permute(x, &axes).into(),
        Layout::Expand { x, shape } => layout::expand(x, shape).into(),
        Layout::Flip { x, axes } => layout::flip(x, &axes).into(),
        Layout::Slice { x, slices } => layout::slice(x, &slices).into(),
        Layout::SliceAssign { x, slices, value } => layout::slice_assign(x, &slices, &value).into(),
        Layout::Cat { xs, dim } => layout::cat(&xs, dim).into(),
        Layout::RepeatDim { x, dim, times } => layout::repeat_dim(x, dim, times).into(),
    }
}

#[track_caller]
fn reduction(op: Reduction<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Reduction::Reduce { op, x, dims } => reduce::reduce(op, &x, &dims).into(),
        Reduction::ArgReduce { op, x, dim, index } => {
            reduce::reduce_with_indices(op, &x, dim, index).1.into()
        }
        Reduction::ReduceWithIndices { op, x, dim, index } => {
            reduce::reduce_with_indices(op, &x, dim, index).into()
        }
        Reduction::Cumulative { op, x, dim } => cumulative::cumulative(op, x, dim).into(),
    }
}

#[track_caller]
fn order(op: Order<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Order::Sort { x, dim, descending } => {
            sort::sort_with_indices(&x, dim, descending, DType::I32).0.into()
        }
        Order::SortWithIndices { x, dim, descending, index } => {
            sort::sort_with_indices(&x, dim, descending, index).into()
        }
        Order::TopK { x, k, dim, largest, index } => sort::topk(&x, k, dim, largest, index).into(),
    }
}

#[track_caller]
fn index(op: Index<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Index::Gather { x, dim, indices } => index::gather_(x, dim, indices).into(),
        Index::Scatter { x, dim, indices, value, update } => {
            index::scatter(x, dim, indices, value, update).into()
        }
        Index::Select { x, dim, indices } => index::select_(x, dim, indices).into(),
        Index::SelectAssign { x, dim, indices, value, update } => {
            index::select_assign(x, dim, indices, value, update).into()
        }
    }
}

#[track_caller]
fn linalg(op: Linalg<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Linalg::Matmul { lhs, rhs } => matmul::matmul(&lhs, &rhs).into(),
        Linalg::Factorize { op, x } => x.engine().linear_algebra().factorize(op, &x).into(),
        Linalg::Lu { x, index } => x.engine().linear_algebra().lu(&x, index).into(),
        Linalg::Solve { a, b } => a.engine().linear_algebra().solve(a, b).into(),
        Linalg::SolveTriangular { a, b, triangle } => {
            a.engine().linear_algebra().solve_triangular(a, b, triangle).into()
        }
    }
}

#[track_caller]
fn convolution(op: Convolution<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Convolution::Conv(args) => window::conv_(*args).into(),
        Convolution::ConvTranspose(args) => window::conv_transpose_(*args).into(),
        Convolution::ConvWeightGrad(args) => window::conv_weight_grad_(*args).into(),
    }
}

#[track_caller]
fn pooling(op: Pooling<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Pooling::Pool(args) => window::pool(*args).into(),
        Pooling::PoolGrad(args) => window::pool_grad_(*args).into(),
        Pooling::MaxPoolWithIndices { x, options, index } => {
            window::max_pool_with_indices(x, &options, index).into()
        }
        Pooling::AdaptiveAvgPool { x, size } => window::adaptive_avg_pool(x, &size).into(),
        Pooling::AdaptiveAvgPoolGrad { grad, target } => window::adaptive_avg_pool_grad(grad, target).into(),
    }
}

#[track_caller]
fn resize(op: Resize<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Resize::Interpolate { x, size, options } => interpolate::interpolate(x, &size, &options).into(),
        Resize::InterpolateGrad { grad, target, options } => {
            interpolate::interpolate_grad(grad, target, &options).into()
        }
    }
}

#[track_caller]
fn spectral(op: Spectral<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Spectral::Fft { op, x, dim } => fft::fft(op, x, dim).into(),
    }
}

#[track_caller]
fn normalization(op: Normalization<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Normalization::Softmax { x, dim } => {
            softmax::softmax(x, dim, false, reference::softmax::<Leaf>).into()
        }
        Normalization::LogSoftmax { x, dim } => {
            softmax::softmax(x, dim, true, reference::log_softmax::<Leaf>).into()
        }
        Normalization::LayerNorm(args) => norm::layer_norm_(*args, reference::layer_norm::<Leaf>).into(),
        Normalization::LayerNormGrad(args) => {
            norm::layer_norm_grad_(*args, reference::layer_norm_grad::<Leaf>).into()
        }
    }
}

#[track_caller]
fn attention(op: Attention<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Attention::Attention(args) => attention::attention(*args, reference::attention::<Leaf>).into(),
        Attention::AttentionGrad(args) => {
            attention::attention_grad(*args, reference::attention_grad::<Leaf>).into()
        }
        Attention::QuantizedAttention(args) => reference::quantized_attention::<Leaf>(*args).into(),
        Attention::CachedAttention(args) => {
            attention_few::cached_attention(*args, reference::cached_attention::<Leaf>).into()
        }
    }
}

#[track_caller]
fn quantized(op: Quantized<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Quantized::Quantize(args) => quantization::quantize(*args, reference::quantize::<Leaf>).into(),
        Quantized::Dequantize(args) => quantization::dequantize(*args, reference::dequantize::<Leaf>).into(),
        Quantized::QuantizedMatmul(args) => {
            quantization::quantized_matmul(*args, reference::quantized_matmul::<Leaf>).into()
        }
        Quantized::IntegerMatmul(args) => {
            quantization::integer_matmul(*args, reference::integer_matmul::<Leaf>).into()
        }
        Quantized::DequantizeBlocks(x) => quantization::dequantize_blocks(&x)
            .unwrap_or_else(|| reference::dequantize_blocks::<Leaf>(*x))
            .into(),
        Quantized::BlockMatmul(args) => {
            quantization::block_matmul(&args).unwrap_or_else(|| reference::block_matmul::<Leaf>(*args)).into()
        }
    }
}

#[track_caller]
fn recurrent(op: Recurrent<CubeTensor>) -> Outputs<CubeTensor> {
    match op {
        Recurrent::Recurrent(args) => recurrent::recurrent(*args).into(),
        Recurrent::RecurrentGrad(args) => recurrent::recurrent_grad(*args).into(),
    }
}
