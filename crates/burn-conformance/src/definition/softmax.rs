use super::Expected;
use crate::array::{Array, replace};
use crate::number::Number;
use crate::tolerance;
use burn_backend::{HasSpec, ReduceOp};

/// The largest value along `dim` through `i`, and the sum of `e^(x - largest)`.
fn largest_and_sum(x: &Array, i: &[usize], dim: usize) -> (f64, f64) {
    let row: Vec<f64> = (0..x.shape()[dim]).map(|k| x.at(&replace(i, dim, k)).to_f64()).collect();
    let largest = ReduceOp::Max.eval_f64(&row);
    (largest, row.iter().map(|x| (x - largest).exp()).sum())
}

pub fn softmax(x: &Array, dim: usize) -> Expected {
    let array = Array::build(x.shape().clone(), x.dtype(), |i| {
        let (largest, sum) = largest_and_sum(x, i, dim);
        Number::Float((x.at(i).to_f64() - largest).exp() / sum)
    });
    Expected { array, tolerance: tolerance::softmax(x.dtype(), x.shape()[dim]) }
}

pub fn log_softmax(x: &Array, dim: usize) -> Expected {
    let array = Array::build(x.shape().clone(), x.dtype(), |i| {
        let (largest, sum) = largest_and_sum(x, i, dim);
        Number::Float(x.at(i).to_f64() - largest - sum.ln())
    });
    let finite = x.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let size = finite.fold(0.0, f64::max);
    Expected { array, tolerance: tolerance::log_softmax(x.shape()[dim], size) }
}
