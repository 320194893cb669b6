//! By the reference of the operations; how far a result may be from it grows with the size of the matrix.

use super::Expected;
use crate::array::{Array, broadcast};
use crate::number::Number;
use crate::tolerance;
use burn_backend::{DType, Factorization, HasSpec, Outputs, Shape, Triangle, lu_f64, solve_f64};

fn size(x: &Array) -> (usize, usize) {
    let [.., rows, cols] = x.shape()[..] else { panic!("matrices have two dimensions") };
    (rows, cols)
}

fn batch(x: &Array) -> Shape {
    Shape::from(&x.shape()[..x.shape().rank() - 2])
}

/// The matrix at `index` of a batch that `x` broadcasts to.
fn matrix(x: &Array, index: &[usize]) -> Vec<f64> {
    let (rows, cols) = size(x);
    let at = |k: usize| [index, &[k / cols, k % cols]].concat();
    (0..rows * cols).map(|k| x.at(&at(k)).to_f64()).collect()
}

fn numbers(values: Vec<f64>) -> impl Iterator<Item = Number> {
    values.into_iter().map(Number::Float)
}

fn assemble(batch: &Shape, last: &[usize], dtype: DType, f: impl Fn(&[usize]) -> Vec<f64>) -> Array {
    let values = crate::array::indices(batch).flat_map(|index| numbers(f(&index))).collect();
    let shape: Shape = batch.iter().chain(last).copied().collect();
    Array { spec: burn_backend::TensorSpec { shape, dtype }, values }
}

fn expected(array: Array, steps: usize) -> Expected {
    let finite = array.values.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let largest = finite.fold(1.0, f64::max);
    let tolerance = tolerance::matrix(array.dtype(), steps, largest);
    Expected { array, tolerance }
}

pub fn factorize(op: Factorization, x: &Array) -> Expected {
    let (rows, cols) = size(x);
    let (m, n) = op.result_size(rows, cols).expect("small");
    let array = assemble(&batch(x), &[m, n], x.dtype(), |at| op.eval_f64(&matrix(x, at), rows, cols));
    expected(array, rows + cols)
}

pub fn lu(x: &Array, index: DType) -> Outputs<Expected> {
    let (rows, cols) = size(x);
    let factors = |at: &[usize]| lu_f64(&matrix(x, at), rows, cols);
    let packed = assemble(&batch(x), &[rows, cols], x.dtype(), |at| factors(at).0);
    let mut order =
        assemble(&batch(x), &[rows], index, |at| factors(at).1.iter().map(|&i| i as f64).collect());
    order.values.iter_mut().for_each(|x| *x = Number::of(x.to_f64() as i128, index));
    (expected(packed, rows + cols), Expected { array: order, tolerance: tolerance::Tolerance::Rounded })
        .into()
}

fn system(a: &Array, b: &Array, f: impl Fn(&[f64], &[f64], usize, usize) -> Vec<f64>) -> Expected {
    let (rows, cols) = size(b);
    let batch = broadcast(&batch(a), &batch(b));
    let each = |at: &[usize]| f(&matrix(a, at), &matrix(b, at), rows, cols);
    expected(assemble(&batch, &[rows, cols], b.dtype(), each), rows)
}

pub fn solve(a: &Array, b: &Array) -> Expected {
    system(a, b, solve_f64)
}

pub fn solve_triangular(a: &Array, b: &Array, triangle: Triangle) -> Expected {
    system(a, b, |a, b, rows, cols| triangle.solve_f64(a, b, rows, cols))
}
