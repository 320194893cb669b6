use crate::array::{Array, indices, replace};
use burn_backend::{Dims, HasSpec, Shape, Slice};

pub fn permute(x: &Array, axes: &Dims) -> Array {
    let shape = axes.iter().map(|&axis| x.shape()[axis]).collect();
    Array::build(shape, x.dtype(), |i| {
        let mut from = Dims::from(i);
        axes.iter().zip(i).for_each(|(&axis, &at)| from[axis] = at);
        x.at(&from)
    })
}

pub fn flip(x: &Array, axes: &Dims) -> Array {
    Array::build(x.shape().clone(), x.dtype(), |i| {
        let mut from = Dims::from(i);
        axes.iter().for_each(|&axis| from[axis] = x.shape()[axis] - 1 - i[axis]);
        x.at(&from)
    })
}

/// Where index `i` of a slice is in the tensor.
fn place(i: &[usize], slices: &[Slice]) -> Dims {
    let at = |d: usize| slices.get(d).map_or(i[d], |slice| slice.start + i[d] * slice.step);
    (0..i.len()).map(at).collect()
}

pub fn slice(x: &Array, slices: &[Slice]) -> Array {
    let size = |(d, &size): (usize, &usize)| match slices.get(d) {
        Some(slice) => (slice.start..slice.end).step_by(slice.step).count(),
        None => size,
    };
    let shape: Shape = x.shape().iter().enumerate().map(size).collect();
    Array::build(shape, x.dtype(), |i| x.values[flat(&place(i, slices), x.shape())])
}

pub fn slice_assign(x: &Array, slices: &[Slice], value: &Array) -> Array {
    let mut out = x.clone();
    for i in indices(value.shape()) {
        *out.at_mut(&place(&i, slices)) = value.at(&i);
    }
    out
}

fn flat(index: &[usize], shape: &Shape) -> usize {
    index.iter().zip(shape.iter()).fold(0, |at, (&i, &size)| at * size + i)
}

pub fn cat(xs: &[Array], dim: usize) -> Array {
    let total = xs.iter().map(|x| x.shape()[dim]).sum();
    let shape = xs[0].shape().with(dim, total);
    Array::build(shape, xs[0].dtype(), |i| {
        let mut at = i[dim];
        for x in xs {
            let size = x.shape()[dim];
            if at < size {
                return x.at(&replace(i, dim, at));
            }
            at -= size;
        }
        unreachable!("the sizes add up")
    })
}

pub fn repeat_dim(x: &Array, dim: usize, times: usize) -> Array {
    let size = x.shape()[dim];
    let shape = x.shape().with(dim, size * times);
    Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, i[dim] % size)))
}
