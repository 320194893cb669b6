use super::*;
use crate::{Backend, block_on};
use alloc::vec::Vec;
use burn_ir::{
    Attention, Composite, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order,
    Outputs, Pooling, Quantized, Recurrent, Reduction, Resize, Spectral,
};

/// Executes an operation as others of `B`: what a leaf calls for those that it has no kernel for.
///
/// # Panics
/// When the operation is not made of others; see [`try_decompose`].
#[track_caller]
pub fn decompose<B: Backend>(op: impl Into<Operation<B::Tensor>>) -> Outputs<B::Tensor> {
    try_decompose::<B>(op.into()).unwrap_or_else(|op| {
        unreachable!("{} is not made of other operations: a leaf has a kernel for it", op.name())
    })
}

/// Executes an operation as others of `B`.
///
/// # Errors
/// The operation itself, when it is not made of others. These are the elementwise functions of tensors,
/// layout, reductions, running reductions, sorting with indices, `gather`, `scatter` and `matmul`: every leaf
/// has them.
#[track_caller]
pub fn try_decompose<B: Backend>(
    op: Operation<B::Tensor>,
) -> Result<Outputs<B::Tensor>, Operation<B::Tensor>> {
    Ok(match op {
        Operation::Elementwise(op) => return elementwise::<B>(op),
        Operation::Layout(op) => return layout::<B>(op),
        Operation::Reduction(op) => match op {
            Reduction::ArgReduce { op, x, dim, index } => arg_reduce::<B>(op, x, dim, index).into(),
            Reduction::Reduce { .. } | Reduction::ReduceWithIndices { .. } | Reduction::Cumulative { .. } => {
                return Err(op.into());
            }
        },
        Operation::Order(op) => match op {
            Order::Sort { x, dim, descending } => sort::<B>(x, dim, descending).into(),
            Order::TopK { x, k, dim, largest, index } => topk::<B>(x, k, dim, largest, index).into(),
            Order::SortWithIndices { .. } => return Err(op.into()),
        },
        Operation::Index(op) => match op {
            Index::Select { x, dim, indices } => select::<B>(x, dim, indices).into(),
            Index::SelectAssign { x, dim, indices, value, update } => {
                select_assign::<B>(x, dim, indices, value, update).into()
            }
            Index::Gather { .. } | Index::Scatter { .. } => return Err(op.into()),
        },
        Operation::Linalg(op) => match op {
            Linalg::Factorize { op, x } => factorize::<B>(op, x, read::<B>).into(),
            Linalg::Lu { x, index } => lu::<B>(x, index, read::<B>).into(),
            Linalg::Solve { a, b } => solve::<B>(a, b, read::<B>).into(),
            Linalg::SolveTriangular { a, b, triangle } => {
                solve_triangular::<B>(a, b, triangle, read::<B>).into()
            }
            #[cfg(feature = "test-operation")]
            Linalg::Bilinear(args) => super::linalg::bilinear::<B>(*args).into(),
            Linalg::Matmul { .. } => return Err(op.into()),
        },
        Operation::Convolution(op) => match op {
            Convolution::Conv(args) => conv::<B>(*args).into(),
            Convolution::ConvTranspose(args) => conv_transpose::<B>(*args).into(),
            Convolution::ConvWeightGrad(args) => conv_weight_grad::<B>(*args).into(),
        },
        Operation::Pooling(op) => pooling::<B>(op),
        Operation::Resize(op) => resize::<B>(op).into(),
        Operation::Spectral(Spectral::Fft { op, x, dim }) => fft::<B>(op, x, dim).into(),
        Operation::Normalization(op) => normalization::<B>(op).into(),
        Operation::Attention(op) => match op {
            Attention::Attention(args) => attention::<B>(*args).into(),
            Attention::AttentionGrad(args) => attention_grad::<B>(*args).into(),
            Attention::QuantizedAttention(args) => quantized_attention::<B>(*args).into(),
            Attention::CachedAttention(args) => cached_attention::<B>(*args).into(),
        },
        Operation::Quantized(op) => quantized::<B>(op),
        Operation::Recurrent(op) => match op {
            Recurrent::Recurrent(args) => recurrent::<B>(*args).into(),
            Recurrent::RecurrentGrad(args) => recurrent_grad::<B>(*args).into(),
        },
    })
}

#[track_caller]
fn resize<B: Backend>(op: Resize<B::Tensor>) -> B::Tensor {
    match op {
        Resize::Interpolate { x, size, options } => interpolate::<B>(x, &size, &options),
        Resize::InterpolateGrad { grad, target, options } => interpolate_grad::<B>(grad, &target, &options),
    }
}

#[track_caller]
fn pooling<B: Backend>(op: Pooling<B::Tensor>) -> Outputs<B::Tensor> {
    match op {
        Pooling::Pool(args) => pool::<B>(*args).into(),
        Pooling::PoolGrad(args) => pool_grad::<B>(*args).into(),
        Pooling::MaxPoolWithIndices { x, options, index } => {
            max_pool_with_indices::<B>(x, *options, index).into()
        }
        Pooling::AdaptiveAvgPool { x, size } => adaptive_avg_pool::<B>(x, size).into(),
        Pooling::AdaptiveAvgPoolGrad { grad, target } => adaptive_avg_pool_grad::<B>(grad, target).into(),
    }
}

#[track_caller]
fn quantized<B: Backend>(op: Quantized<B::Tensor>) -> Outputs<B::Tensor> {
    match op {
        Quantized::Quantize(args) => quantize::<B>(*args).into(),
        Quantized::Dequantize(x) => dequantize::<B>(*x).into(),
        Quantized::QuantizedMatmul(args) => quantized_matmul::<B>(*args).into(),
        Quantized::IntegerMatmul(args) => integer_matmul::<B>(*args).into(),
        Quantized::DequantizeBlocks(x) => dequantize_blocks::<B>(*x).into(),
        Quantized::BlockMatmul(args) => block_matmul::<B>(*args).into(),
    }
}

#[track_caller]
fn elementwise<B: Backend>(op: Elementwise<B::Tensor>) -> Result<Outputs<B::Tensor>, Operation<B::Tensor>> {
    Ok(match op {
        Elementwise::BinaryScalar { op, lhs, rhs } => binary_scalar::<B>(op, lhs, rhs).into(),
        Elementwise::CompareScalar { op, lhs, rhs } => compare_scalar::<B>(op, lhs, rhs).into(),
        Elementwise::Clamp { x, min, max } => clamp::<B>(x, min, max).into(),
        Elementwise::MaskFill { x, mask, value } => mask_fill::<B>(x, mask, value).into(),
        Elementwise::Unary { .. }
        | Elementwise::Binary { .. }
        | Elementwise::Compare { .. }
        | Elementwise::MaskWhere { .. }
        | Elementwise::Cast { .. } => return Err(op.into()),
    })
}

#[track_caller]
fn layout<B: Backend>(op: Layout<B::Tensor>) -> Result<Outputs<B::Tensor>, Operation<B::Tensor>> {
    Ok(match op {
        Layout::Flip { x, axes } => flip::<B>(x, axes).into(),
        Layout::RepeatDim { x, dim, times } => repeat_dim::<B>(x, dim, times).into(),
        Layout::Reshape { .. }
        | Layout::Permute { .. }
        | Layout::Expand { .. }
        | Layout::Slice { .. }
        | Layout::SliceAssign { .. }
        | Layout::Cat { .. } => return Err(op.into()),
    })
}

#[track_caller]
fn normalization<B: Backend>(op: Normalization<B::Tensor>) -> B::Tensor {
    match op {
        Normalization::Softmax { x, dim } => softmax::<B>(x, dim),
        Normalization::LogSoftmax { x, dim } => log_softmax::<B>(x, dim),
        Normalization::LayerNorm(args) => layer_norm::<B>(*args),
        Normalization::LayerNormGrad(args) => layer_norm_grad::<B>(*args),
    }
}

/// Computes softmax and layer normalization from elementwise functions and reductions, which a block takes.
///
/// # Errors
/// The operation itself, when it is another one or `has_kernel` says that the whole is better than its parts.
#[track_caller]
#[allow(clippy::wildcard_enum_match_arm)] // All others are given back, whatever they are.
pub fn decompose_normalization<B: Backend>(
    op: Operation<B::Tensor>,
    has_kernel: impl FnOnce(Composite) -> bool,
) -> Result<Outputs<B::Tensor>, Operation<B::Tensor>> {
    match op {
        Operation::Normalization(op) => match op.traits().composite {
            Some(composite) if !has_kernel(composite) => Ok(normalization::<B>(op).into()),
            Some(_) | None => Err(op.into()),
        },
        op => Err(op),
    }
}

/// Reads the elements of a tensor of a device that this thread may wait for.
fn read<B: Backend>(x: B::Tensor) -> Vec<f64> {
    match block_on(B::into_data(x)) {
        Ok(Ok(data)) => data.to_f64(),
        Ok(Err(error)) => panic!("{error}"),
        Err(pending) => {
            panic!("linear algebra reads matrices, and this platform cannot wait for them: {pending:?}")
        }
    }
}
