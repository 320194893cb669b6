use super::Expected;
use crate::array::{Array, broadcast, replace};
use crate::number::Number;
use crate::tolerance::Tolerance;
use burn_backend::{HasSpec, Shape};

pub fn matmul(lhs: &Array, rhs: &Array) -> Expected {
    let ([batch @ .., rows, depth], [other @ .., _, cols]) = (&lhs.shape()[..], &rhs.shape()[..]) else {
        panic!("matrices have two dimensions")
    };
    let batch = broadcast(&Shape::from(batch), &Shape::from(other));
    let shape: Shape = batch.iter().copied().chain([*rows, *cols]).collect();
    let (rank, dtype) = (shape.rank(), lhs.dtype());
    let mut magnitudes = Vec::new();
    let array = Array::build(shape, dtype, |i| {
        let (mut sum, mut magnitude) = (Number::zero(dtype), 0.0);
        for k in 0..*depth {
            let term = lhs.at(&replace(i, rank - 1, k)).mul(rhs.at(&replace(i, rank - 2, k)));
            sum = sum.add(term);
            magnitude += term.to_f64().abs();
        }
        magnitudes.push(magnitude);
        sum
    });
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms: *depth } }
}
