use crate::Array;
use burn_backend::{Dims, Element, IndexUpdate, Shape};

/// For each element of `indices` in order: the offset it points to in a row-major `shape`.
fn targets(shape: &Shape, dim: usize, indices: &Array<i64>) -> Vec<usize> {
    let (strides, sizes) = (shape.strides(), indices.shape());
    let mut position = Dims::repeat(0, sizes.rank());
    let mut next = |&index: &i64| {
        let offset =
            (0..sizes.rank()).map(|d| if d == dim { 0 } else { position[d] * strides[d] }).sum::<usize>();
        for d in (0..sizes.rank()).rev() {
            position[d] += 1;
            if position[d] < sizes[d] {
                break;
            }
            position[d] = 0;
        }
        offset + usize::try_from(index).expect("index is not negative") * strides[dim]
    };
    indices.buffer().iter().map(&mut next).collect()
}

pub fn gather<E: Element>(x: Array<E>, dim: usize, indices: Array<i64>) -> Array<E> {
    let (x, indices) = (x.into_contiguous(), indices.into_contiguous());
    let from = targets(x.shape(), dim, &indices);
    Array::new(indices.shape().clone(), from.into_iter().map(|at| x.buffer()[at]).collect())
}

pub fn scatter<E: Element + std::ops::Add<Output = E>>(
    mut x: Array<E>,
    dim: usize,
    indices: Array<i64>,
    value: Array<E>,
    update: IndexUpdate,
) -> Array<E> {
    let (indices, value) = (indices.into_contiguous(), value.into_contiguous());
    let to = targets(x.shape(), dim, &indices);
    let out = x.make_mut();
    for (at, &value) in to.into_iter().zip(value.buffer()) {
        out[at] = match update {
            IndexUpdate::Assign => value,
            IndexUpdate::Add => out[at] + value,
        };
    }
    x
}

pub fn argwhere(mask: Array<bool>) -> Array<i64> {
    let mask = mask.into_contiguous();
    let (strides, shape) = (mask.shape().strides(), mask.shape());
    let hits: Vec<usize> =
        mask.buffer().iter().enumerate().filter(|(_, hit)| **hit).map(|(at, _)| at).collect();
    let coordinate = |at: usize, d: usize| (at / strides[d] % shape[d]) as i64;
    let data = hits.iter().flat_map(|&at| (0..shape.rank()).map(move |d| coordinate(at, d))).collect();
    Array::new(Shape::from([hits.len(), shape.rank()]), data)
}
