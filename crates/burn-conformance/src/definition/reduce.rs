use super::Expected;
use crate::array::{Array, indices, replace};
use crate::number::{Number, binary};
use crate::tolerance::Tolerance;
use burn_backend::{BinaryOp, CumulativeOp, DType, Dims, HasSpec, ReduceOp, Shape};

/// A reduction of some numbers, and the sum of the magnitudes that were added on the way.
fn fold(op: ReduceOp, xs: &[Number], dtype: DType) -> (Number, f64) {
    let all = |op, first| xs.iter().fold(first, |x, &y| binary(op, x, y));
    let floats = || xs.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let magnitude: f64 = xs.iter().map(|x| x.to_f64().abs()).sum();
    if dtype.is_float() {
        let value = op.eval_f64(&floats());
        // A product of `n` numbers is as many roundings of itself.
        let magnitude = match op {
            ReduceOp::Prod => value.abs(),
            ReduceOp::Mean => magnitude / xs.len() as f64,
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => magnitude,
        };
        return (Number::Float(value), magnitude);
    }
    let value = match op {
        ReduceOp::Sum => all(BinaryOp::Add, Number::zero(dtype)),
        ReduceOp::Prod => all(BinaryOp::Mul, Number::of(1, dtype)),
        ReduceOp::Max => xs[1..].iter().fold(xs[0], |x, &y| binary(BinaryOp::Max, x, y)),
        ReduceOp::Min => xs[1..].iter().fold(xs[0], |x, &y| binary(BinaryOp::Min, x, y)),
        ReduceOp::Any | ReduceOp::All => Number::Bool(op.eval_f64(&floats()) != 0.0),
        ReduceOp::Mean => panic!("mean of {dtype}"),
    };
    (value, magnitude)
}

fn tolerance(op: ReduceOp, magnitudes: Vec<f64>, terms: usize) -> Tolerance {
    match op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => Tolerance::Sum { magnitudes, terms },
        ReduceOp::Max | ReduceOp::Min | ReduceOp::Any | ReduceOp::All => Tolerance::RoundedAnyZero,
    }
}

pub fn reduce(op: ReduceOp, x: &Array, dims: &Dims) -> Expected {
    let rank = x.shape().rank();
    let outer: Shape = (0..rank).map(|d| if dims.contains(&d) { 1 } else { x.shape()[d] }).collect();
    let inner: Shape = (0..rank).map(|d| if dims.contains(&d) { x.shape()[d] } else { 1 }).collect();
    let mut magnitudes = Vec::new();
    let array = Array::build(outer, x.dtype(), |i| {
        let terms = indices(&inner).map(|k| x.at(&(0..rank).map(|d| i[d] + k[d]).collect::<Dims>()));
        let (value, magnitude) = fold(op, &terms.collect::<Vec<_>>(), x.dtype());
        magnitudes.push(magnitude);
        value
    });
    Expected { array, tolerance: tolerance(op, magnitudes, inner.num_elements()) }
}

pub fn cumulative(op: CumulativeOp, x: &Array, dim: usize) -> Expected {
    let mut magnitudes = Vec::new();
    let array = Array::build(x.shape().clone(), x.dtype(), |i| {
        let prefix: Vec<Number> = (0..=i[dim]).map(|k| x.at(&replace(i, dim, k))).collect();
        let (value, magnitude) = fold(op.prefix(), &prefix, x.dtype());
        magnitudes.push(magnitude);
        value
    });
    Expected { array, tolerance: tolerance(op.prefix(), magnitudes, x.shape()[dim]) }
}
