use crate::array::{Array, indices, replace};
use crate::number::Number;
use burn_backend::{DType, Extremum, HasSpec};
use std::cmp::Ordering;

/// Which elements come first.
#[derive(Clone, Copy)]
pub enum Order {
    /// NaN is the extreme of both ends.
    Extreme(Extremum),
    /// NaN is larger than everything.
    Sorted { descending: bool },
}

impl Order {
    fn compare(self, x: Number, y: Number) -> Ordering {
        match self {
            Order::Extreme(Extremum::Max) | Order::Sorted { descending: true } => y.order(x),
            Order::Sorted { descending: false } => x.order(y),
            Order::Extreme(Extremum::Min) => y.is_nan().cmp(&x.is_nan()).then(x.order(y)),
        }
    }
}

/// The first `k` along `dim` in this order, of equals the earlier one first; and where they were.
pub fn first(x: &Array, order: Order, k: usize, dim: usize, index: DType) -> (Array, Array) {
    let shape = x.shape().with(dim, k);
    let mut places = Array::build(shape.clone(), index, |_| Number::Int(0));
    for line in indices(&shape.with(dim, k.min(1))) {
        let value = |at: usize| x.at(&replace(&line, dim, at));
        let mut sorted: Vec<usize> = (0..x.shape()[dim]).collect();
        sorted.sort_by(|&a, &b| order.compare(value(a), value(b)));
        for (rank, &place) in sorted.iter().take(k).enumerate() {
            *places.at_mut(&replace(&line, dim, rank)) = Number::Int(place as i128);
        }
    }
    let values = Array::build(shape, x.dtype(), |i| x.at(&replace(i, dim, places.at(i).index())));
    (values, places)
}
