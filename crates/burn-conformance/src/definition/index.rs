use super::Expected;
use crate::array::{Array, indices, replace};
use crate::number::{Number, binary};
use crate::tolerance;
use burn_backend::{HasSpec, IndexUpdate};

pub fn gather(x: &Array, dim: usize, at: &Array) -> Array {
    Array::build(at.shape().clone(), x.dtype(), |i| x.at(&replace(i, dim, at.at(i).index())))
}

pub fn select(x: &Array, dim: usize, at: &Array) -> Array {
    let shape = x.shape().with(dim, at.values.len());
    Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, at.values[i[dim]].index())))
}

fn update(update: IndexUpdate, old: &mut Number, value: Number) {
    *old = update.function().map_or(value, |op| binary(op, *old, value));
}

pub fn scatter(x: &Array, dim: usize, at: &Array, value: &Array, how: IndexUpdate) -> Array {
    let mut out = x.clone();
    for i in indices(at.shape()) {
        update(how, out.at_mut(&replace(&i, dim, at.at(&i).index())), value.at(&i));
    }
    out
}

pub fn select_assign(x: &Array, dim: usize, at: &Array, value: &Array, how: IndexUpdate) -> Array {
    let mut out = x.clone();
    for i in indices(value.shape()) {
        update(how, out.at_mut(&replace(&i, dim, at.values[i[dim]].index())), value.at(&i));
    }
    out
}

/// A few values may have come together in one place.
pub fn written(array: Array, how: IndexUpdate) -> Expected {
    let largest = array.values.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    Expected { array, tolerance: tolerance::written(how, largest) }
}
