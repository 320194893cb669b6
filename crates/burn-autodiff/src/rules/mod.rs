//! Gradient rules. [`saves`] declares the values that a rule needs; [`backward`] computes the gradients.
//!
//! Convention: one file per family, two functions in it, one arm per operation in each. Rules neither undo
//! broadcasts nor check who requires a gradient: [`Sink`] does both, once. They run on `B`, the backend
//! as a trait object, so that this crate compiles them once and no program does.

mod attention;
mod binary;
mod conv;
mod fft;
mod index;
mod layout;
mod linalg;
mod matmul;
mod norm;
mod parts;
mod pool;
mod quantization;
mod record;
mod recurrent;
mod reduce;
mod softmax;
mod unary;

pub use parts::is_in_parts;
pub use record::{Operand, Record, Saves, Sink};

use crate::checkpoint::SavedTensor;
use burn_backend::dynamic::{Dynamic as B, DynamicTensor as Tensor};
use burn_backend::{
    Attention, Convolution, Elementwise, Index, Layout, Linalg, Normalization, Operation, Order, PoolKind,
    Pooling, Quantized, Recurrent, Reduction, Resize, Spectral, TypedCalls,
};

/// Returns the values that the gradient rule of `op` reads, which is differentiable.
pub fn saves<T>(op: &Operation<T>) -> Saves {
    match op {
        Operation::Elementwise(op) => saves_elementwise(op),
        Operation::Layout(_) | Operation::Resize(_) | Operation::Spectral(_) => Saves::Nothing,
        Operation::Reduction(op) => match op {
            Reduction::Reduce { op, .. } => reduce::saves(*op),
            Reduction::ReduceWithIndices { .. } => Saves::Output,
            Reduction::Cumulative { op, .. } => reduce::saves_cumulative(*op),
            Reduction::ArgReduce { .. } => Saves::Nothing,
        },
        Operation::Order(op) => match op {
            Order::Sort { .. } => Saves::FIRST,
            Order::SortWithIndices { .. } | Order::TopK { .. } => Saves::Output,
        },
        Operation::Index(op) => match op {
            Index::Gather { .. } | Index::Select { .. } => Saves::SECOND,
            Index::Scatter { update, .. } | Index::SelectAssign { update, .. } => index::saves(*update),
        },
        Operation::Linalg(op) => match op {
            Linalg::Matmul { .. } => Saves::EachOther,
            Linalg::Factorize { .. } => Saves::Output,
            Linalg::Lu { .. } => Saves::FIRST,
            Linalg::Solve { .. } | Linalg::SolveTriangular { .. } => Saves::InputsAndOutput(0b1),
            #[cfg(feature = "test-operation")]
            Linalg::Bilinear(_) => Saves::THREE,
        },
        Operation::Convolution(_) => Saves::EachOther,
        Operation::Pooling(op) => saves_pooling(op),
        Operation::Normalization(op) => match op {
            Normalization::Softmax { .. } | Normalization::LogSoftmax { .. } => Saves::Output,
            Normalization::LayerNorm(args) if args.weight.is_some() => Saves::BOTH,
            Normalization::LayerNorm(_) => Saves::FIRST,
            Normalization::LayerNormGrad(args) if args.weight.is_some() => Saves::THREE,
            Normalization::LayerNormGrad(_) => Saves::BOTH,
        },
        Operation::Attention(op) => match op {
            Attention::Attention(args) => attention::saves(args),
            Attention::AttentionGrad(_)
            | Attention::QuantizedAttention(_)
            | Attention::CachedAttention(_) => Saves::Nothing,
        },
        Operation::Quantized(op) => match op {
            Quantized::Dequantize(_) => quantization::DEQUANTIZE,
            Quantized::QuantizedMatmul(_) => quantization::QUANTIZED_MATMUL,
            Quantized::BlockMatmul(_) => Saves::SECOND,
            Quantized::Quantize(_) | Quantized::IntegerMatmul(_) | Quantized::DequantizeBlocks(_) => {
                Saves::Nothing
            }
        },
        Operation::Recurrent(op) => match op {
            Recurrent::Recurrent(args) => recurrent::saves(args),
            Recurrent::RecurrentGrad(_) => Saves::Nothing,
        },
    }
}

fn saves_elementwise<T>(op: &Elementwise<T>) -> Saves {
    match op {
        Elementwise::Unary { op, .. } => unary::saves(*op),
        Elementwise::Binary { op, .. } => binary::saves(*op),
        Elementwise::BinaryScalar { op, .. } => binary::saves_scalar(*op),
        Elementwise::Clamp { .. } | Elementwise::MaskWhere { .. } => Saves::FIRST,
        Elementwise::MaskFill { .. } => Saves::SECOND,
        Elementwise::Cast { .. } | Elementwise::Compare { .. } | Elementwise::CompareScalar { .. } => {
            Saves::Nothing
        }
    }
}

fn saves_pooling<T>(op: &Pooling<T>) -> Saves {
    match op {
        Pooling::Pool(args) if args.kind == PoolKind::Max => Saves::FIRST,
        Pooling::PoolGrad(args) if args.kind == PoolKind::Max => Saves::SECOND,
        Pooling::MaxPoolWithIndices { .. } => Saves::Output,
        Pooling::Pool(_) | Pooling::PoolGrad(_) => Saves::Nothing,
        Pooling::AdaptiveAvgPool { .. } | Pooling::AdaptiveAvgPoolGrad { .. } => Saves::Nothing,
    }
}

pub fn backward(record: Record, grad: Tensor, sink: &mut Sink<'_>) {
    let Record { op, output, first } = record;
    match op {
        Operation::Elementwise(op) => elementwise(op, &output, grad, sink),
        Operation::Layout(op) => layout(op, grad, sink),
        Operation::Reduction(op) => match op {
            Reduction::Reduce { op, x, dims } => reduce::backward(op, &x, dims, grad, sink),
            Reduction::ReduceWithIndices { x, dim, .. } => index::with_indices(&x, dim, &output, grad, sink),
            Reduction::Cumulative { op, x, dim } => reduce::cumulative(op, &x, dim, grad, sink),
            Reduction::ArgReduce { .. } => unreachable!("not differentiable"),
        },
        Operation::Order(op) => match op {
            Order::Sort { x, dim, descending } => index::sort(&x, dim, descending, grad, sink),
            Order::SortWithIndices { x, dim, .. } | Order::TopK { x, dim, .. } => {
                index::with_indices(&x, dim, &output, grad, sink);
            }
        },
        Operation::Index(op) => indexing(op, grad, sink),
        Operation::Linalg(op) => linear_algebra(op, &output, grad, sink),
        Operation::Convolution(op) => match op {
            Convolution::Conv(args) => conv::conv(*args, grad, sink),
            Convolution::ConvTranspose(args) => conv::conv_transpose(*args, grad, sink),
            Convolution::ConvWeightGrad(args) => conv::conv_weight_grad(*args, grad, sink),
        },
        Operation::Pooling(op) => pooling(op, &output, grad, sink),
        Operation::Resize(op) => match op {
            Resize::Interpolate { x, size: _, options } => {
                sink.add(&x, || B::interpolate_grad(grad, x.spec.shape.clone(), *options));
            }
            Resize::InterpolateGrad { grad: out, target: _, options } => {
                sink.add(&out, || B::interpolate(grad, out.spec.shape[2..].into(), *options));
            }
        },
        Operation::Spectral(Spectral::Fft { op, x, dim }) => {
            sink.add(&x, || fft::backward(op, grad, x.spec.shape[dim], dim));
        }
        Operation::Normalization(op) => match op {
            Normalization::Softmax { x, dim } => softmax::softmax(&x, dim, &output, grad, sink),
            Normalization::LogSoftmax { x, dim } => softmax::log_softmax(&x, dim, &output, grad, sink),
            Normalization::LayerNorm(args) => norm::layer_norm(*args, grad, sink),
            Normalization::LayerNormGrad(args) => norm::layer_norm_grad(*args, grad, sink),
        },
        Operation::Attention(op) => match op {
            Attention::Attention(args) => attention::attention(*args, [&first, &output], grad, sink),
            // Results of the forward pass are tracked, and nothing else: what they follow from is not.
            Attention::AttentionGrad(_) => {}
            Attention::QuantizedAttention(_) | Attention::CachedAttention(_) => {
                unreachable!("recorded in parts")
            }
        },
        Operation::Quantized(op) => quantized(op, grad, sink),
        Operation::Recurrent(op) => match op {
            Recurrent::Recurrent(args) => recurrent::recurrent(*args, [&first, &output], grad, sink),
            // A tracked call records the operations that it is made of.
            Recurrent::RecurrentGrad(_) => unreachable!("recorded in parts"),
        },
    }
}

fn elementwise(op: Elementwise<Operand>, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Elementwise::Unary { op, x } => unary::backward(op, &x, output, grad, sink),
        Elementwise::Binary { op, lhs, rhs } => binary::backward(op, &lhs, &rhs, grad, sink),
        Elementwise::BinaryScalar { op, lhs, rhs } => binary::backward_scalar(op, &lhs, rhs, grad, sink),
        Elementwise::Clamp { x, min, max } => binary::clamp(&x, min, max, grad, sink),
        Elementwise::MaskWhere { mask, on, off } => index::mask_where(&mask, &on, &off, grad, sink),
        Elementwise::MaskFill { x, mask, value: _ } => index::mask_fill(&x, &mask, grad, sink),
        Elementwise::Cast { x, .. } => sink.add(&x, || B::cast(grad, x.spec.dtype)),
        Elementwise::Compare { .. } | Elementwise::CompareScalar { .. } => unreachable!("not differentiable"),
    }
}

fn indexing(op: Index<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Index::Gather { x, dim, indices } => index::gather(&x, dim, &indices, grad, sink),
        Index::Select { x, dim, indices } => index::select(&x, dim, &indices, grad, sink),
        Index::Scatter { x, dim, indices, value, update } => {
            let (x, indices, value) = (&x, &indices, &value);
            index::write(&index::Write { x, dim, indices, value, update, slices: false }, grad, sink);
        }
        Index::SelectAssign { x, dim, indices, value, update } => {
            let (x, indices, value) = (&x, &indices, &value);
            index::write(&index::Write { x, dim, indices, value, update, slices: true }, grad, sink);
        }
    }
}

fn linear_algebra(op: Linalg<Operand>, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Linalg::Matmul { lhs, rhs } => matmul::backward(&lhs, &rhs, grad, sink),
        Linalg::Factorize { op, x } => linalg::factorize(op, &x, output, grad, sink),
        Linalg::Lu { x, .. } => linalg::lu(&x, grad, sink),
        Linalg::Solve { a, b } => linalg::solve(&a, &b, output, grad, sink),
        Linalg::SolveTriangular { a, b, triangle } => {
            linalg::solve_triangular(&a, &b, triangle, output, grad, sink);
        }
        #[cfg(feature = "test-operation")]
        Linalg::Bilinear(args) => linalg::bilinear(&args, &grad, sink),
    }
}

fn quantized(op: Quantized<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Quantized::Dequantize(x) => quantization::dequantize(*x, grad, sink),
        Quantized::QuantizedMatmul(args) => quantization::quantized_matmul(*args, grad, sink),
        Quantized::BlockMatmul(args) => quantization::block_matmul(*args, grad, sink),
        Quantized::Quantize(_) | Quantized::IntegerMatmul(_) | Quantized::DequantizeBlocks(_) => {
            unreachable!("not differentiable")
        }
    }
}

fn layout(op: Layout<Operand>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Layout::Reshape { x, .. } => sink.add(&x, || B::reshape(grad, x.spec.shape.clone())),
        Layout::Permute { x, axes } => sink.add(&x, || layout::permute(grad, &axes)),
        Layout::Expand { x, .. } => sink.add(&x, || grad),
        Layout::Flip { x, axes } => sink.add(&x, || B::flip(grad, axes)),
        Layout::Slice { x, slices } => sink.add_part(&x, slices, grad),
        Layout::SliceAssign { x, slices, value } => layout::slice_assign(&x, slices, &value, grad, sink),
        Layout::Cat { xs, dim } => layout::cat(&xs, dim, grad, sink),
        Layout::RepeatDim { x, dim, times } => sink.add(&x, || layout::repeat_dim(&x, dim, times, grad)),
    }
}

fn pooling(op: Pooling<Operand>, output: &Option<SavedTensor>, grad: Tensor, sink: &mut Sink<'_>) {
    match op {
        Pooling::Pool(args) => pool::pool(*args, grad, sink),
        Pooling::PoolGrad(args) => pool::pool_grad(*args, grad, sink),
        Pooling::MaxPoolWithIndices { x, .. } => pool::max_pool_with_indices(&x, output, grad, sink),
        Pooling::AdaptiveAvgPool { x, .. } => {
            sink.add(&x, || B::adaptive_avg_pool_grad(grad, x.spec.shape.clone()));
        }
        Pooling::AdaptiveAvgPoolGrad { grad: out, target: _ } => {
            sink.add(&out, || B::adaptive_avg_pool(grad, out.spec.shape[2..].into()));
        }
    }
}
