use super::Expected;
use crate::array::{Array, indices, replace};
use crate::number::Number;
use crate::tolerance;
use burn_backend::{HasSpec, ReduceOp};

/// `f(x, largest, sum of e^(x - largest))` of each element, the latter two along `dim`.
fn lines(x: &Array, dim: usize, f: impl Fn(f64, f64, f64) -> f64) -> Array {
    let mut out = x.clone();
    let size = x.shape()[dim];
    for line in indices(&x.shape().with(dim, size.min(1))) {
        let row: Vec<f64> = (0..size).map(|k| x.at(&replace(&line, dim, k)).to_f64()).collect();
        let largest = ReduceOp::Max.eval_f64(&row);
        let sum = row.iter().map(|x| (x - largest).exp()).sum();
        for (k, &value) in row.iter().enumerate() {
            *out.at_mut(&replace(&line, dim, k)) = Number::Float(f(value, largest, sum));
        }
    }
    out
}

pub fn softmax(x: &Array, dim: usize) -> Expected {
    let array = lines(x, dim, |x, largest, sum| (x - largest).exp() / sum);
    Expected { array, tolerance: tolerance::softmax(x.dtype(), x.shape()[dim]) }
}

pub fn log_softmax(x: &Array, dim: usize) -> Expected {
    let array = lines(x, dim, |x, largest, sum| x - largest - sum.ln());
    let finite = x.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let size = finite.fold(0.0, f64::max);
    Expected { array, tolerance: tolerance::log_softmax(x.shape()[dim], size) }
}
