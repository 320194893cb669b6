use super::Expected;
use crate::array::{Array, indices, replace};
use crate::number::Number;
use crate::tolerance::Tolerance;
use burn_backend::{FftOp, TensorSpec, output_specs};
use std::f64::consts::TAU;

/// `e^(2 pi i turns / n)`. The angle is reduced exactly before it is rounded.
fn root(turns: usize, n: usize) -> (f64, f64) {
    let angle = TAU * (turns % n) as f64 / n as f64;
    (angle.cos(), angle.sin())
}

/// The sum that the transform is, term by term.
pub fn fft(op: FftOp, x: &Array, dim: usize) -> Expected {
    let call = burn_backend::Operation::Spectral(burn_backend::Spectral::Fft { op, x: &x.spec, dim });
    let spec: TensorSpec = output_specs(&call).expect("the call was checked").one();
    let size = x.shape()[dim];
    let mut array = Array::build(spec.shape.clone(), spec.dtype, |_| Number::Float(0.0));
    let mut magnitudes = Vec::new();
    for i in indices(&spec.shape) {
        let (sum, magnitude) = match op {
            FftOp::Forward => complex_sum(x, &i, dim, |k, j| root(size - j * k % size, size)),
            FftOp::Backward => complex_sum(x, &i, dim, |k, j| root(j * k, size)),
            FftOp::Real => real_sum(x, &i, dim),
            FftOp::Half { n } => half_sum(x, &i, dim, n),
        };
        *array.at_mut(&i) = Number::Float(sum);
        magnitudes.push(magnitude);
    }
    let terms = 2 * size.max(array.shape()[dim]);
    Expected { array, tolerance: Tolerance::Sum { magnitudes, terms } }
}

/// Part `i[last]` of the sum over `j` of `x[j] root(i[dim], j)`, and the sum of the magnitudes of its terms.
fn complex_sum(x: &Array, i: &[usize], dim: usize, root: impl Fn(usize, usize) -> (f64, f64)) -> (f64, f64) {
    let last = i.len() - 1;
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for j in 0..x.shape()[dim] {
        let place = replace(i, dim, j);
        let part = |part| x.at(&replace(&place, last, part)).to_f64();
        let ((re, im), (cos, sin)) = ((part(0), part(1)), root(i[dim], j));
        sum += if i[last] == 0 { re * cos - im * sin } else { re * sin + im * cos };
        magnitude += re.abs() + im.abs();
    }
    (sum, magnitude)
}

fn real_sum(x: &Array, i: &[usize], dim: usize) -> (f64, f64) {
    let (last, size) = (i.len() - 1, x.shape()[dim]);
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for j in 0..size {
        let value = x.at(&replace(&i[..last], dim, j)).to_f64();
        let (cos, sin) = root(j * i[dim], size);
        sum += if i[last] == 0 { value * cos } else { -value * sin };
        magnitude += value.abs();
    }
    (sum, magnitude)
}

/// The sum over all `n` frequencies: those beyond the half are conjugates of their mirror image.
fn half_sum(x: &Array, i: &[usize], dim: usize, n: usize) -> (f64, f64) {
    let (mut sum, mut magnitude) = (0.0, 0.0);
    for k in 0..n {
        let mirrored = k > n / 2;
        let mut place = replace(i, dim, if mirrored { n - k } else { k }).to_vec();
        let mut part = |part| {
            place.push(part);
            let value = x.at(&place).to_f64();
            place.pop();
            value
        };
        let (re, im) = (part(0), if mirrored { -part(1) } else { part(1) });
        let (cos, sin) = root(i[dim] * k, n);
        // Elements that are their own mirror image are real.
        let real = k == 0 || 2 * k == n;
        sum += if real { re * cos } else { re * cos - im * sin };
        magnitude += if real { re.abs() } else { re.abs() + im.abs() };
    }
    (sum, magnitude)
}
