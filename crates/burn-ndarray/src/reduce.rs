use crate::Array;
use crate::float::Number;
use burn_backend::{Dims, Element, ReduceOp};

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
        ReduceOp::Any | ReduceOp::All => unreachable!("of bools"),
    };
    let start = match op {
        ReduceOp::Sum | ReduceOp::Mean => E::from_f64(0.0),
        ReduceOp::Prod => E::from_f64(1.0),
        ReduceOp::Max => E::from_f64(f64::NEG_INFINITY),
        ReduceOp::Min => E::from_f64(f64::INFINITY),
        ReduceOp::Any | ReduceOp::All => unreachable!("of bools"),
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
