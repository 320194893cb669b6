//! The kernel of each operation, by family.

use crate::leaf::Leaf;
use crate::{
    TchTensor, arg_reduce, attention, binary, cast, compare, conv, cumulative, fft, index, interpolate,
    layout, linalg, mask, matmul, norm, pool, reduce, scatter, softmax, sort, unary,
};
use burn_backend::{
    Attention, Convolution, DType, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order,
    Outputs, Pooling, Quantized, Recurrent, Reduction, Resize, Spectral, kernels, reference,
};

#[inline(never)]
#[track_caller]
pub fn execute(op: Operation<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Operation::Elementwise(op) => elementwise(op),
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
fn elementwise(op: Elementwise<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Elementwise::Unary { op, x } => unary::unary(op, x).into(),
        Elementwise::Binary { op, lhs, rhs } => binary::binary(op, lhs, rhs).into(),
        Elementwise::BinaryScalar { op, lhs, rhs } => binary::binary_scalar(op, lhs, rhs).into(),
        Elementwise::Compare { op, lhs, rhs } => compare::compare(op, lhs, rhs).into(),
        Elementwise::CompareScalar { op, lhs, rhs } => compare::compare_scalar(op, lhs, rhs).into(),
        Elementwise::Clamp { x, min, max } => binary::clamp(x, min, max).into(),
        Elementwise::MaskWhere { mask, on, off } => mask::mask_where(mask, on, off).into(),
        Elementwise::MaskFill { x, mask, value } => mask::mask_fill(x, mask, value).into(),
        Elementwise::Cast { x, dtype } => cast::cast(x, dtype).into(),
    }
}

#[track_caller]
fn layout(op: Layout<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Layout::Reshape { x, shape } => layout::reshape(x, shape).into(),
        Layout::Permute { x, axes } => layout::permute(x, &axes).into(),
        Layout::Expand { x, shape } => layout::expand(x, shape).into(),
        Layout::Flip { x, axes } => layout::flip(x, &axes).into(),
        Layout::Slice { x, slices } => layout::slice(x, &slices).into(),
        Layout::SliceAssign { x, slices, value } => layout::slice_assign(x, &slices, value).into(),
        Layout::Cat { xs, dim } => layout::cat(xs, dim).into(),
        Layout::RepeatDim { x, dim, times } => layout::repeat_dim(x, dim, times).into(),
    }
}

#[track_caller]
fn reduction(op: Reduction<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Reduction::Reduce { op, x, dims } => reduce::reduce(op, x, dims).into(),
        Reduction::ArgReduce { op, x, dim, index } => arg_reduce::arg_reduce(op, x, dim, index).into(),
        Reduction::ReduceWithIndices { op, x, dim, index } => {
            arg_reduce::reduce_with_indices(op, x, dim, index).into()
        }
        Reduction::Cumulative { op, x, dim } => cumulative::cumulative(op, x, dim).into(),
    }
}

#[track_caller]
fn order(op: Order<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Order::Sort { x, dim, descending } => {
            sort::sort_with_indices(x, dim, descending, DType::I64).0.into()
        }
        Order::SortWithIndices { x, dim, descending, index } => {
            sort::sort_with_indices(x, dim, descending, index).into()
        }
        Order::TopK { x, k, dim, largest, index } => sort::topk(x, k, dim, largest, index).into(),
    }
}

#[track_caller]
fn index(op: Index<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Index::Gather { x, dim, indices } => index::gather(&x, dim, indices).into(),
        Index::Scatter { x, dim, indices, value, update } => {
            scatter::scatter(x, dim, indices, value, update).into()
        }
        Index::Select { x, dim, indices } => index::select(x, dim, indices).into(),
        Index::SelectAssign { x, dim, indices, value, update } => {
            scatter::select_assign(x, dim, indices, value, update).into()
        }
    }
}

#[track_caller]
fn linalg(op: Linalg<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Linalg::Matmul { lhs, rhs } => matmul::matmul(lhs, rhs).into(),
        Linalg::Factorize { op, x } => linalg::factorize(op, x).into(),
        Linalg::Lu { x, index } => linalg::lu(x, index).into(),
        Linalg::Solve { a, b } => linalg::solve(a, b).into(),
        Linalg::SolveTriangular { a, b, triangle } => linalg::solve_triangular(a, b, triangle).into(),
    }
}

#[track_caller]
fn convolution(op: Convolution<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Convolution::Conv(args) => conv::conv(*args).into(),
        Convolution::ConvTranspose(args) => conv::conv_transpose(*args).into(),
        Convolution::ConvWeightGrad(args) => conv::conv_weight_grad(*args).into(),
    }
}

#[track_caller]
fn pooling(op: Pooling<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Pooling::Pool(args) => pool::pool(*args).into(),
        Pooling::PoolGrad(args) => pool::pool_grad(*args).into(),
        Pooling::MaxPoolWithIndices { x, options, index } => {
            pool::max_pool_with_indices(x, *options, index).into()
        }
        Pooling::AdaptiveAvgPool { x, size } => pool::adaptive_avg_pool(x, size).into(),
        Pooling::AdaptiveAvgPoolGrad { grad, target } => pool::adaptive_avg_pool_grad(grad, target).into(),
    }
}

#[track_caller]
fn resize(op: Resize<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Resize::Interpolate { x, size, options } => interpolate::interpolate(x, size, *options).into(),
        Resize::InterpolateGrad { grad, target, options } => {
            interpolate::interpolate_grad(grad, target, *options).into()
        }
    }
}

#[track_caller]
fn spectral(op: Spectral<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Spectral::Fft { op, x, dim } => fft::fft(op, x, dim).into(),
    }
}

#[track_caller]
fn normalization(op: Normalization<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Normalization::Softmax { x, dim } => softmax::softmax(x, dim).into(),
        Normalization::LogSoftmax { x, dim } => softmax::log_softmax(x, dim).into(),
        Normalization::LayerNorm(args) => norm::layer_norm(*args).into(),
        Normalization::LayerNormGrad(args) => norm::layer_norm_grad(*args).into(),
    }
}

#[track_caller]
fn attention(op: Attention<TchTensor>) -> Outputs<TchTensor> {
    match op {
        Attention::Attention(args) => attention::attention(*args).into(),
        Attention::AttentionGrad(args) => attention::attention_grad(*args).into(),
        op @ (Attention::QuantizedAttention(_) | Attention::CachedAttention(_)) => composed(op),
    }
}

#[track_caller]
fn quantized(op: Quantized<TchTensor>) -> Outputs<TchTensor> {
    match op {
        op @ (Quantized::Quantize(_)
        | Quantized::Dequantize(_)
        | Quantized::QuantizedMatmul(_)
        | Quantized::IntegerMatmul(_)
        | Quantized::DequantizeBlocks(_)
        | Quantized::BlockMatmul(_)) => composed(op),
    }
}

#[track_caller]
fn recurrent(op: Recurrent<TchTensor>) -> Outputs<TchTensor> {
    match op {
        op @ (Recurrent::Recurrent(_) | Recurrent::RecurrentGrad(_)) => composed(op),
    }
}

/// Executes an operation that the library lacks as others, and reports so to profilers.
#[track_caller]
fn composed(op: impl Into<Operation<TchTensor>>) -> Outputs<TchTensor> {
    let op = op.into();
    kernels::ran(|| format!("composition {}", op.name()));
    reference::decompose::<Leaf>(op)
}
