use crate::Array;
use crate::float::Number;
use burn_backend::{Dims, Element, Extremum, ReduceOp};

/// Elements as `[outer, size, inner]` around `dim`.
fn split(shape: &[usize], dim: usize) -> (usize, usize, usize) {
    (shape[..dim].iter().product(), shape[dim], shape[dim + 1..].iter().product())
}

pub fn reduce<E: Number>(op: ReduceOp, x: Array<E>, dims: &Dims) -> Array<E> {
    let count: usize = dims.iter().map(|&d| x.shape()[d]).product();
    let fold: fn(E, E) -> E = match op {
        ReduceOp::Sum | ReduceOp::Mean => |x, y| x + y,
        ReduceOp::Prod => |x, y| x * y,
        ReduceOp::Max => E::bigger,
        ReduceOp::Min => E::smaller,
    };
    let start = match op {
        ReduceOp::Sum | ReduceOp::Mean => E::from_f64(0.0),
        ReduceOp::Prod => E::from_f64(1.0),
        ReduceOp::Max => E::from_f64(f64::NEG_INFINITY),
        ReduceOp::Min => E::from_f64(f64::INFINITY),
    };
    let mut x = dims.iter().fold(x, |x, &dim| reduce_dim(x, dim, start, fold));
    if op == ReduceOp::Mean {
        let count = E::from_f64(count as f64);
        x.make_mut().iter_mut().for_each(|x| *x = *x / count);
    }
    x
}

fn reduce_dim<E: Element>(x: Array<E>, dim: usize, start: E, fold: impl Fn(E, E) -> E) -> Array<E> {
    let x = x.into_contiguous();
    let (outer, size, inner) = split(x.shape(), dim);
    let mut out = vec![start; outer * inner];
    for o in 0..outer {
        let out = &mut out[o * inner..(o + 1) * inner];
        for row in x.buffer()[o * size * inner..(o + 1) * size * inner].chunks_exact(inner.max(1)) {
            out.iter_mut().zip(row).for_each(|(out, &x)| *out = fold(*out, x));
        }
    }
    Array::new(x.shape().with(dim, 1), out)
}

pub fn with_indices<E: Number>(op: Extremum, x: Array<E>, dim: usize) -> (Array<E>, Array<i64>) {
    let x = x.into_contiguous();
    let (outer, size, inner) = split(x.shape(), dim);
    let better = |x: E, y: E| match op {
        Extremum::Max => x > y,
        Extremum::Min => x < y,
    };
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for at in (0..outer).flat_map(|o| (0..inner).map(move |i| o * size * inner + i)) {
        let column = |k: usize| x.buffer()[at + k * inner];
        let best = (1..size).fold(0, |best, k| if better(column(k), column(best)) { k } else { best });
        values.push(column(best));
        indices.push(best as i64);
    }
    let shape = x.shape().with(dim, 1);
    (Array::new(shape.clone(), values), Array::new(shape, indices))
}
