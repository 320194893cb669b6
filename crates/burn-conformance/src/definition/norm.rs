use super::Expected;
use crate::array::Array;
use crate::number::Number;
use crate::tolerance;
use burn_backend::{HasSpec, LayerNormArgs, LayerNormGradArgs};

fn row_length(x: &Array) -> usize {
    *x.shape().last().expect("a last dimension")
}

fn numbers(x: &Array) -> Vec<f64> {
    x.values.iter().map(|x| x.to_f64()).collect()
}

/// The numbers of a list, or one of them as often.
fn list(list: Option<&Array>, size: usize, otherwise: f64) -> Vec<f64> {
    list.map_or_else(|| vec![otherwise; size], numbers)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// A row normalised, and its deviation.
fn standardised(row: &[f64], epsilon: f64) -> (Vec<f64>, f64) {
    let middle = mean(row.iter().copied());
    let deviation = (mean(row.iter().map(|x| (x - middle) * (x - middle))) + epsilon).sqrt();
    (row.iter().map(|x| (x - middle) / deviation).collect(), deviation)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

fn expected(like: &Array, values: Vec<f64>, size: f64) -> Expected {
    let array = Array { spec: like.spec().clone(), values: values.into_iter().map(Number::Float).collect() };
    Expected { tolerance: tolerance::layer_norm(row_length(like), size), array }
}

/// Rounding the difference from the mean shows divided by the deviation, in a result and in what it is multiplied by.
pub fn layer_norm(args: &LayerNormArgs<Array>) -> Expected {
    let (x, size) = (numbers(&args.x), row_length(&args.x));
    let (weight, bias) = (list(args.weight.as_ref(), size, 1.0), list(args.bias.as_ref(), size, 0.0));
    let (mut values, mut scale) = (Vec::new(), 1.0_f64);
    for row in x.chunks(size.max(1)) {
        let (normal, deviation) = standardised(row, args.epsilon);
        scale = scale.max((1.0 + largest(&normal)) * (1.0 + largest(row) / deviation));
        values
            .extend(normal.iter().zip(weight.iter().zip(&bias)).map(|(y, (weight, bias))| y * weight + bias));
    }
    expected(&args.x, values, scale * largest(&weight) + largest(&bias))
}

pub fn layer_norm_grad(args: &LayerNormGradArgs<Array>) -> Expected {
    let (x, grad, size) = (numbers(&args.x), numbers(&args.grad), row_length(&args.x));
    let weight = list(args.weight.as_ref(), size, 1.0);
    let (mut values, mut scale) = (Vec::new(), 1.0_f64);
    for (row, grad) in x.chunks(size.max(1)).zip(grad.chunks(size.max(1))) {
        let (normal, deviation) = standardised(row, args.epsilon);
        let grad: Vec<f64> = grad.iter().zip(&weight).map(|(grad, weight)| grad * weight).collect();
        let level = mean(grad.iter().copied());
        let along = mean(grad.iter().zip(&normal).map(|(grad, y)| grad * y));
        let error = (1.0 + largest(&normal)).powi(2) * (1.0 + largest(row) / deviation) / deviation;
        scale = scale.max(largest(&grad) * error);
        values.extend(grad.iter().zip(&normal).map(|(grad, y)| (grad - level - y * along) / deviation));
    }
    expected(&args.x, values, scale)
}
