//! Definition of every operation: naive loops over numbers in full precision. Slow, and nothing else.
//!
//! The definitions stand on [`UnaryOp::eval_f64`](burn_backend::UnaryOp::eval_f64) and its like. A slip in one
//! of them shows as a failure of the minimal backend and of `NdArray` alike, which were written apart from it.

mod attention;
mod block_format;
mod conv;
mod fft;
mod index;
mod interpolate;
mod layout;
mod linalg;
mod matmul;
mod norm;
mod order;
mod pool;
mod quantization;
mod recurrent;
mod reduce;
mod softmax;

use crate::array::{Array, broadcast};
use crate::number::{self, Number};
use crate::tolerance::{self, Tolerance};
use burn_backend::{
    Attention, BinaryOp, Convolution, DType, Elementwise, HasSpec, Index, Layout, Linalg, Normalization,
    Operation, Order, Outputs, Pooling, Quantized, Recurrent, Reduction, Resize, Scalar, Spectral,
};

/// A result by definition, and how far a backend may be from it.
#[derive(Clone, Debug)]
pub struct Expected {
    pub array: Array,
    pub tolerance: Tolerance,
}

impl Expected {
    /// Moved, not computed: every bit counts.
    fn moved(array: Array) -> Outputs<Expected> {
        Expected { array, tolerance: Tolerance::Rounded }.into()
    }
}

/// The results of `op`, which has been checked.
pub fn evaluate(op: &Operation<Array>) -> Outputs<Expected> {
    match op {
        Operation::Elementwise(Elementwise::Unary { op, x }) => {
            let array = x.map(x.dtype(), |x| number::unary(*op, x));
            Expected { array, tolerance: tolerance::unary(*op, x.dtype()) }.into()
        }
        Operation::Elementwise(Elementwise::Binary { op, lhs, rhs }) => {
            Expected { array: binary(*op, lhs, rhs), tolerance: tolerance::binary(*op) }.into()
        }
        Operation::Elementwise(Elementwise::BinaryScalar { op, lhs, rhs }) => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            let array = lhs.map(lhs.dtype(), |x| number::binary(*op, x, rhs));
            Expected { array, tolerance: tolerance::binary(*op) }.into()
        }
        Operation::Elementwise(Elementwise::Compare { op, lhs, rhs }) => {
            let shape = broadcast(lhs.shape(), rhs.shape());
            Expected::moved(Array::build(shape, DType::Bool, |i| {
                Number::Bool(number::compare(*op, lhs.at(i), rhs.at(i)))
            }))
        }
        Operation::Elementwise(Elementwise::CompareScalar { op, lhs, rhs }) => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            Expected::moved(lhs.map(DType::Bool, |x| Number::Bool(number::compare(*op, x, rhs))))
        }
        Operation::Elementwise(Elementwise::Clamp { x, min, max }) => {
            let array = clamp(x, *min, *max);
            Expected { array, tolerance: Tolerance::RoundedAnyZero }.into()
        }
        Operation::Elementwise(Elementwise::MaskWhere { mask, on, off }) => {
            let shape = broadcast(&broadcast(on.shape(), off.shape()), mask.shape());
            let pick = |i: &[usize]| if mask.at(i).is_true() { on.at(i) } else { off.at(i) };
            Expected::moved(Array::build(shape, on.dtype(), pick))
        }
        Operation::Elementwise(Elementwise::MaskFill { x, mask, value }) => {
            let value = Number::from_scalar(*value, x.dtype());
            let pick = |i: &[usize]| if mask.at(i).is_true() { value } else { x.at(i) };
            Expected::moved(Array::build(x.shape().clone(), x.dtype(), pick))
        }
        Operation::Elementwise(Elementwise::Cast { x, dtype }) => {
            let array = x.map(*dtype, |x| number::cast(x, *dtype));
            Expected { array, tolerance: tolerance::cast() }.into()
        }
        Operation::Layout(Layout::Reshape { x, shape }) => {
            let mut array = x.clone();
            array.spec.shape = shape.clone();
            Expected::moved(array)
        }
        Operation::Layout(Layout::Permute { x, axes }) => Expected::moved(layout::permute(x, axes)),
        Operation::Layout(Layout::Expand { x, shape }) => {
            Expected::moved(Array::build(shape.clone(), x.dtype(), |i| x.at(i)))
        }
        Operation::Layout(Layout::Flip { x, axes }) => Expected::moved(layout::flip(x, axes)),
        Operation::Layout(Layout::Slice { x, slices }) => Expected::moved(layout::slice(x, slices)),
        Operation::Layout(Layout::SliceAssign { x, slices, value }) => {
            Expected::moved(layout::slice_assign(x, slices, value))
        }
        Operation::Layout(Layout::Cat { xs, dim }) => Expected::moved(layout::cat(xs, *dim)),
        Operation::Layout(Layout::RepeatDim { x, dim, times }) => {
            Expected::moved(layout::repeat_dim(x, *dim, *times))
        }
        Operation::Reduction(Reduction::Reduce { op, x, dims }) => reduce::reduce(*op, x, dims).into(),
        Operation::Reduction(Reduction::ArgReduce { op, x, dim, index }) => {
            Expected::moved(order::first(x, order::Order::Extreme(*op), 1, *dim, *index).1)
        }
        Operation::Reduction(Reduction::ReduceWithIndices { op, x, dim, index }) => {
            moved_two(order::first(x, order::Order::Extreme(*op), 1, *dim, *index))
        }
        Operation::Reduction(Reduction::Cumulative { op, x, dim }) => reduce::cumulative(*op, x, *dim).into(),
        Operation::Order(Order::Sort { x, dim, descending }) => {
            let order = order::Order::Sorted { descending: *descending };
            Expected::moved(order::first(x, order, x.shape()[*dim], *dim, DType::I64).0)
        }
        Operation::Order(Order::SortWithIndices { x, dim, descending, index }) => {
            let order = order::Order::Sorted { descending: *descending };
            moved_two(order::first(x, order, x.shape()[*dim], *dim, *index))
        }
        Operation::Order(Order::TopK { x, k, dim, largest, index }) => {
            let order = order::Order::Sorted { descending: *largest };
            moved_two(order::first(x, order, *k, *dim, *index))
        }
        Operation::Index(Index::Gather { x, dim, indices }) => {
            Expected::moved(index::gather(x, *dim, indices))
        }
        Operation::Index(Index::Scatter { x, dim, indices, value, update }) => {
            index::written(index::scatter(x, *dim, indices, value, *update), *update).into()
        }
        Operation::Index(Index::Select { x, dim, indices }) => {
            Expected::moved(index::select(x, *dim, indices))
        }
        Operation::Index(Index::SelectAssign { x, dim, indices, value, update }) => {
            index::written(index::select_assign(x, *dim, indices, value, *update), *update).into()
        }
        Operation::Linalg(Linalg::Matmul { lhs, rhs }) => matmul::matmul(lhs, rhs).into(),
        Operation::Linalg(Linalg::Factorize { op, x }) => linalg::factorize(*op, x).into(),
        Operation::Linalg(Linalg::Lu { x, index }) => linalg::lu(x, *index),
        Operation::Linalg(Linalg::Solve { a, b }) => linalg::solve(a, b).into(),
        Operation::Linalg(Linalg::SolveTriangular { a, b, triangle }) => {
            linalg::solve_triangular(a, b, *triangle).into()
        }
        Operation::Convolution(Convolution::Conv(args)) => conv::conv(args).into(),
        Operation::Convolution(Convolution::ConvTranspose(args)) => conv::conv_transpose(args).into(),
        Operation::Convolution(Convolution::ConvWeightGrad(args)) => conv::conv_weight_grad(args).into(),
        Operation::Pooling(Pooling::Pool(args)) => pool::pool(args).into(),
        Operation::Pooling(Pooling::PoolGrad(args)) => pool::pool_grad(args).into(),
        Operation::Pooling(Pooling::MaxPoolWithIndices { x, options, index }) => {
            moved_two(pool::max_with_indices(x, options, *index))
        }
        Operation::Pooling(Pooling::AdaptiveAvgPool { x, size }) => pool::adaptive_avg(x, size).into(),
        Operation::Pooling(Pooling::AdaptiveAvgPoolGrad { grad, target }) => {
            pool::adaptive_avg_grad(grad, target).into()
        }
        Operation::Resize(Resize::Interpolate { x, size, options }) => {
            interpolate::interpolate(x, size, options).into()
        }
        Operation::Resize(Resize::InterpolateGrad { grad, target, options }) => {
            interpolate::grad(grad, target, options).into()
        }
        Operation::Spectral(Spectral::Fft { op, x, dim }) => fft::fft(*op, x, *dim).into(),
        Operation::Normalization(Normalization::Softmax { x, dim }) => softmax::softmax(x, *dim).into(),
        Operation::Normalization(Normalization::LogSoftmax { x, dim }) => {
            softmax::log_softmax(x, *dim).into()
        }
        Operation::Normalization(Normalization::LayerNorm(args)) => norm::layer_norm(args).into(),
        Operation::Normalization(Normalization::LayerNormGrad(args)) => norm::layer_norm_grad(args).into(),
        Operation::Attention(Attention::Attention(args)) => attention::attention(args).into(),
        Operation::Attention(Attention::AttentionGrad(args)) => attention::attention_grad(args).into(),
        Operation::Quantized(Quantized::Quantize(args)) => quantization::quantize(args).into(),
        Operation::Quantized(Quantized::Dequantize(x)) => quantization::dequantize(x).into(),
        Operation::Quantized(Quantized::QuantizedMatmul(args)) => quantization::quantized_matmul(args).into(),
        Operation::Quantized(Quantized::IntegerMatmul(args)) => quantization::integer_matmul(args).into(),
        Operation::Quantized(Quantized::DequantizeBlocks(x)) => block_format::dequantize(x).into(),
        Operation::Quantized(Quantized::BlockMatmul(args)) => block_format::matmul(args).into(),
        Operation::Recurrent(Recurrent::Recurrent(args)) => recurrent::recurrent(args).into(),
        Operation::Recurrent(Recurrent::RecurrentGrad(args)) => recurrent::recurrent_grad(args).into(),
    }
}

fn moved_two((values, indices): (Array, Array)) -> Outputs<Expected> {
    let expected = |array| Expected { array, tolerance: Tolerance::Rounded };
    (expected(values), expected(indices)).into()
}

fn binary(op: BinaryOp, lhs: &Array, rhs: &Array) -> Array {
    let shape = broadcast(lhs.shape(), rhs.shape());
    Array::build(shape, lhs.dtype(), |i| number::binary(op, lhs.at(i), rhs.at(i)))
}

fn clamp(x: &Array, min: Option<Scalar>, max: Option<Scalar>) -> Array {
    let bound = |x: Number, op, limit: Option<Scalar>, dtype| {
        limit.map_or(x, |limit| number::binary(op, x, Number::from_scalar(limit, dtype)))
    };
    let dtype = x.dtype();
    x.map(dtype, |x| bound(bound(x, BinaryOp::Max, min, dtype), BinaryOp::Min, max, dtype))
}
