//! Definition of every operation: naive loops over numbers in full precision. Slow, and nothing else.
//!
//! The definitions stand on [`UnaryOp::eval_f64`](burn_backend::UnaryOp::eval_f64) and its like. A slip in one
//! of them shows as a failure of the minimal backend and of `NdArray` alike, which were written apart from it.

mod attention;
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
use burn_backend::{BinaryOp, DType, HasSpec, Operation, Outputs, Scalar};

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
    use Operation::*;
    match op {
        Unary { op, x } => {
            let array = x.map(x.dtype(), |x| number::unary(*op, x));
            Expected { array, tolerance: tolerance::unary(*op, x.dtype()) }.into()
        }
        Binary { op, lhs, rhs } => {
            Expected { array: binary(*op, lhs, rhs), tolerance: tolerance::binary(*op) }.into()
        }
        BinaryScalar { op, lhs, rhs } => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            let array = lhs.map(lhs.dtype(), |x| number::binary(*op, x, rhs));
            Expected { array, tolerance: tolerance::binary(*op) }.into()
        }
        Compare { op, lhs, rhs } => {
            let shape = broadcast(lhs.shape(), rhs.shape());
            Expected::moved(Array::build(shape, DType::Bool, |i| {
                Number::Bool(number::compare(*op, lhs.at(i), rhs.at(i)))
            }))
        }
        CompareScalar { op, lhs, rhs } => {
            let rhs = Number::from_scalar(*rhs, lhs.dtype());
            Expected::moved(lhs.map(DType::Bool, |x| Number::Bool(number::compare(*op, x, rhs))))
        }
        Clamp { x, min, max } => {
            let array = clamp(x, *min, *max);
            Expected { array, tolerance: Tolerance::RoundedAnyZero }.into()
        }
        MaskWhere { mask, on, off } => {
            let shape = broadcast(&broadcast(on.shape(), off.shape()), mask.shape());
            let pick = |i: &[usize]| if mask.at(i).is_true() { on.at(i) } else { off.at(i) };
            Expected::moved(Array::build(shape, on.dtype(), pick))
        }
        MaskFill { x, mask, value } => {
            let value = Number::from_scalar(*value, x.dtype());
            let pick = |i: &[usize]| if mask.at(i).is_true() { value } else { x.at(i) };
            Expected::moved(Array::build(x.shape().clone(), x.dtype(), pick))
        }
        Cast { x, dtype } => {
            let array = x.map(*dtype, |x| number::cast(x, *dtype));
            Expected { array, tolerance: tolerance::cast() }.into()
        }
        Reshape { x, shape } => {
            let mut array = x.clone();
            array.spec.shape = shape.clone();
            Expected::moved(array)
        }
        Permute { x, axes } => Expected::moved(layout::permute(x, axes)),
        Expand { x, shape } => Expected::moved(Array::build(shape.clone(), x.dtype(), |i| x.at(i))),
        Flip { x, axes } => Expected::moved(layout::flip(x, axes)),
        Slice { x, slices } => Expected::moved(layout::slice(x, slices)),
        SliceAssign { x, slices, value } => Expected::moved(layout::slice_assign(x, slices, value)),
        Cat { xs, dim } => Expected::moved(layout::cat(xs, *dim)),
        RepeatDim { x, dim, times } => Expected::moved(layout::repeat_dim(x, *dim, *times)),
        Reduce { op, x, dims } => reduce::reduce(*op, x, dims).into(),
        ArgReduce { op, x, dim, index } => {
            Expected::moved(order::first(x, order::Order::Extreme(*op), 1, *dim, *index).1)
        }
        ReduceWithIndices { op, x, dim, index } => {
            moved_two(order::first(x, order::Order::Extreme(*op), 1, *dim, *index))
        }
        Cumulative { op, x, dim } => reduce::cumulative(*op, x, *dim).into(),
        Sort { x, dim, descending } => {
            let order = order::Order::Sorted { descending: *descending };
            Expected::moved(order::first(x, order, x.shape()[*dim], *dim, DType::I64).0)
        }
        SortWithIndices { x, dim, descending, index } => {
            let order = order::Order::Sorted { descending: *descending };
            moved_two(order::first(x, order, x.shape()[*dim], *dim, *index))
        }
        TopK { x, k, dim, largest, index } => {
            let order = order::Order::Sorted { descending: *largest };
            moved_two(order::first(x, order, *k, *dim, *index))
        }
        Gather { x, dim, indices } => Expected::moved(index::gather(x, *dim, indices)),
        Scatter { x, dim, indices, value, update } => {
            index::written(index::scatter(x, *dim, indices, value, *update), *update).into()
        }
        Select { x, dim, indices } => Expected::moved(index::select(x, *dim, indices)),
        SelectAssign { x, dim, indices, value, update } => {
            index::written(index::select_assign(x, *dim, indices, value, *update), *update).into()
        }
        Matmul { lhs, rhs } => matmul::matmul(lhs, rhs).into(),
        Factorize { op, x } => linalg::factorize(*op, x).into(),
        Lu { x, index } => linalg::lu(x, *index),
        Solve { a, b } => linalg::solve(a, b).into(),
        SolveTriangular { a, b, triangle } => linalg::solve_triangular(a, b, *triangle).into(),
        Conv(args) => conv::conv(args).into(),
        ConvTranspose(args) => conv::conv_transpose(args).into(),
        ConvWeightGrad(args) => conv::conv_weight_grad(args).into(),
        Pool(args) => pool::pool(args).into(),
        PoolGrad(args) => pool::pool_grad(args).into(),
        MaxPoolWithIndices { x, options, index } => moved_two(pool::max_with_indices(x, options, *index)),
        AdaptiveAvgPool { x, size } => pool::adaptive_avg(x, size).into(),
        AdaptiveAvgPoolGrad { grad, target } => pool::adaptive_avg_grad(grad, target).into(),
        Interpolate { x, size, options } => interpolate::interpolate(x, size, options).into(),
        InterpolateGrad { grad, target, options } => interpolate::grad(grad, target, options).into(),
        Fft { op, x, dim } => fft::fft(*op, x, *dim).into(),
        Softmax { x, dim } => softmax::softmax(x, *dim).into(),
        LogSoftmax { x, dim } => softmax::log_softmax(x, *dim).into(),
        LayerNorm(args) => norm::layer_norm(args).into(),
        LayerNormGrad(args) => norm::layer_norm_grad(args).into(),
        Attention(args) => attention::attention(args).into(),
        AttentionGrad(args) => attention::attention_grad(args).into(),
        Quantize(args) => quantization::quantize(args).into(),
        Dequantize(x) => quantization::dequantize(x).into(),
        QuantizedMatmul(args) => quantization::quantized_matmul(args).into(),
        IntegerMatmul(args) => quantization::integer_matmul(args).into(),
        Recurrent(args) => recurrent::recurrent(args).into(),
        RecurrentGrad(args) => recurrent::recurrent_grad(args).into(),
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
