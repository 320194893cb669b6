use super::{B, Operand, Saves, Sink, Tensor};
use alloc::vec::Vec;
use burn_backend::TypedCalls;
use burn_backend::ops::{div, mul, narrow, scale, sum_dims, wide, zeros_like};
use burn_backend::{
    Backend, CompareOp, CumulativeOp, DType, Dims, HasSpec, IndexUpdate, ReduceOp, Scalar, Shape, Slice,
    Slices, TensorSpec, UnaryOp,
};
use core::ops::Range;

pub fn saves(op: ReduceOp) -> Saves {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Any | ReduceOp::All => Saves::Nothing,
        ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => Saves::FIRST,
    }
}

pub fn backward(op: ReduceOp, x: &Operand, dims: Dims, grad: Tensor, sink: &mut Sink<'_>) {
    let shape = x.spec.shape.clone();
    let count: usize = dims.iter().map(|&d| shape[d]).product();
    if saves(op) == Saves::Nothing {
        let grad = if op == ReduceOp::Mean { scale::<B>(grad, 1.0 / count as f64) } else { grad };
        return sink.add(x, || B::expand(grad, shape));
    }
    let value = sink.value(x);
    sink.add(x, || match op {
        ReduceOp::Prod => {
            let dtype = grad.dtype();
            let others = product_of_others(wide::<B>(value), &dims);
            narrow::<B>(mul::<B>(B::expand(wide::<B>(grad), shape), others), dtype)
        }
        ReduceOp::Max | ReduceOp::Min => {
            let result = B::reduce(op, value.clone(), dims.clone());
            let hit = B::cast(B::compare(CompareOp::Equal, value, result), grad.dtype());
            let ties = sum_dims::<B>(hit.clone(), dims);
            mul::<B>(hit, div::<B>(grad, ties))
        }
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Any | ReduceOp::All => unreachable!("returned above"),
    });
}

/// For each element the product of the others along `dims`: the product of what comes before and after it, so
/// that zeros are no special case.
fn product_of_others(x: Tensor, dims: &Dims) -> Tensor {
    let shape = x.shape();
    let rest: Dims = (0..shape.rank()).filter(|d| !dims.contains(d)).collect();
    let order: Dims = rest.iter().chain(dims.iter()).copied().collect();
    let moved = B::permute(x, order.clone());
    let moved_shape = moved.shape();
    let outer: usize = rest.iter().map(|&d| shape[d]).product();
    let inner: usize = dims.iter().map(|&d| shape[d]).product();
    let rows = B::reshape(moved, [outer, inner].into());
    let flip = |x| B::flip(x, Dims::from([1]));
    let others = mul::<B>(products_before(rows.clone()), flip(products_before(flip(rows))));
    let mut inverse = order.clone();
    order.iter().enumerate().for_each(|(to, &from)| inverse[from] = to);
    B::permute(B::reshape(others, moved_shape), inverse)
}

/// `1, x0, x0 x1, ..` along the second dimension.
fn products_before(rows: Tensor) -> Tensor {
    let (shape, device) = (rows.shape(), B::device(&rows));
    if shape[1] == 0 {
        return rows;
    }
    let one = TensorSpec::new([shape[0], 1], rows.dtype());
    let head = B::slice(rows, [0..shape[0], 0..shape[1] - 1].into_iter().map(Slice::from).collect());
    B::cumulative(CumulativeOp::Prod, B::cat([B::full(one, Scalar::Int(1), &device), head].into(), 1), 1)
}

pub fn saves_cumulative(op: CumulativeOp) -> Saves {
    match op {
        CumulativeOp::Sum => Saves::Nothing,
        CumulativeOp::Prod | CumulativeOp::Max | CumulativeOp::Min => Saves::FIRST,
    }
}

pub fn cumulative(op: CumulativeOp, x: &Operand, dim: usize, grad: Tensor, sink: &mut Sink<'_>) {
    if op == CumulativeOp::Sum {
        return sink.add(x, || reversed_sum(grad, dim));
    }
    let value = sink.value(x);
    sink.add(x, || match op {
        CumulativeOp::Sum => unreachable!("returned above"),
        CumulativeOp::Prod => {
            let dtype = grad.dtype();
            narrow::<B>(cumulative_product(wide::<B>(value), dim, wide::<B>(grad)), dtype)
        }
        CumulativeOp::Max | CumulativeOp::Min => running_extreme(op, value, dim, grad),
    });
}

/// `sum over i >= k` along `dim`.
fn reversed_sum(x: Tensor, dim: usize) -> Tensor {
    let flip = |x| B::flip(x, Dims::from([dim]));
    flip(B::cumulative(CumulativeOp::Sum, flip(x), dim))
}

/// `d y_i / d x_k = product over j <= i, j != k`: one pass per element of the dimension, exact at zeros.
fn cumulative_product(x: Tensor, dim: usize, grad: Tensor) -> Tensor {
    let shape = x.shape();
    let at = |range: Range<usize>| {
        let whole = shape.iter().map(|&size| Slice::from(0..size));
        let mut slices: Slices = whole.collect();
        slices[dim] = range.into();
        slices
    };
    let size = shape[dim];
    let mut parts = Vec::with_capacity(size);
    for k in 0..size {
        let one = B::slice(x.clone(), at(k..k + 1));
        let one = B::full(one.spec().clone(), Scalar::Int(1), &B::device(&one));
        let without = B::slice_assign(x.clone(), at(k..k + 1), one);
        let slope = B::slice(B::cumulative(CumulativeOp::Prod, without, dim), at(k..size));
        let part = mul::<B>(slope, B::slice(grad.clone(), at(k..size)));
        parts.push(sum_dims::<B>(part, Dims::from([dim])));
    }
    if parts.is_empty() { grad } else { B::cat(parts, dim) }
}

/// Each result goes back to the latest element that set the extreme.
fn running_extreme(op: CumulativeOp, x: Tensor, dim: usize, grad: Tensor) -> Tensor {
    let result = B::cumulative(op, x.clone(), dim);
    let size = x.spec().shape[dim];
    let mut line = Shape::from(Dims::repeat(1, x.spec().shape.rank()));
    line[dim] = size;
    let index = DType::I64;
    let range = TensorSpec::new([size], index);
    let places = B::range(range, Scalar::Int(0), Scalar::Int(1), &B::device(&x));
    let places = B::expand(B::reshape(places, line), x.shape());
    let set = B::compare(CompareOp::Equal, x.clone(), result);
    let from = B::mask_fill(places, B::unary(UnaryOp::Not, set), Scalar::Int(0));
    let from = B::cumulative(CumulativeOp::Max, from, dim);
    let zeros = zeros_like::<B>(&grad);
    B::scatter(zeros, dim, from, grad, IndexUpdate::Add)
}
