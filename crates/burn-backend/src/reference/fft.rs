//! Fourier transforms as products with their matrices.

use super::precision::{narrow, wide};
use crate::Backend;
use alloc::vec::Vec;
use burn_ir::{Dims, FftOp, HasSpec, Shape, TensorData, UnaryOp};
use core::f64::consts::TAU;

/// A transform as a matrix of real numbers: a pair of parts is two rows where it goes in, two columns where
/// it comes out.
struct Matrix {
    op: FftOp,
    /// The number of elements of the signal.
    n: usize,
    /// Cosine and sine of each `n`-th part of a turn. Angles are exact until they are rounded.
    roots: Vec<(f64, f64)>,
}

impl Matrix {
    fn new(op: FftOp, size: usize) -> Self {
        let n = if let FftOp::Half { n } = op { n } else { size };
        let root = |k: usize| {
            let angle = TAU * k as f64 / n as f64;
            (UnaryOp::Cos.eval_f64(angle), UnaryOp::Sin.eval_f64(angle))
        };
        Matrix { op, n, roots: (0..n).map(root).collect() }
    }

    /// Returns the input components as `(element, is it the imaginary part)`. In a half spectrum the elements
    /// 0 and `n / 2` are their own mirror image, hence real: their imaginary parts do not count.
    fn inputs(&self) -> Vec<(usize, bool)> {
        let own_image = |k: usize| k == 0 || 2 * k == self.n;
        let all = |n: usize| (0..n).flat_map(|k| [(k, false), (k, true)]);
        match self.op {
            FftOp::Forward | FftOp::Backward => all(self.n).collect(),
            FftOp::Real => (0..self.n).map(|k| (k, false)).collect(),
            FftOp::Half { n } => {
                all(n / 2 + 1).filter(|&(k, imaginary)| !(imaginary && own_image(k))).collect()
            }
        }
    }

    /// Returns the output components as `(element, is it the imaginary part)`.
    fn outputs(&self) -> Vec<(usize, bool)> {
        let all = |n: usize| (0..n).flat_map(|k| [(k, false), (k, true)]).collect();
        match self.op {
            FftOp::Forward | FftOp::Backward => all(self.n),
            FftOp::Real => all(self.n / 2 + 1),
            FftOp::Half { n } => (0..n).map(|k| (k, false)).collect(),
        }
    }

    /// Returns the contribution of a component of element `j`, when it is 1, to a component of result `k`.
    fn factor(&self, (j, from_imaginary): (usize, bool), (k, to_imaginary): (usize, bool)) -> f64 {
        let (cos, sin) = self.roots[j * k % self.n];
        let (sin, times) = match self.op {
            FftOp::Forward | FftOp::Real => (-sin, 1.0),
            FftOp::Backward => (sin, 1.0),
            // An omitted element of the half spectrum is the conjugate of its mirror image and contributes as
            // much.
            FftOp::Half { n } => (sin, if j == 0 || 2 * j == n { 1.0 } else { 2.0 }),
        };
        times
            * match (from_imaginary, to_imaginary) {
                (false, false) | (true, true) => cos,
                (false, true) => sin,
                (true, false) => -sin,
            }
    }
}

/// See [`FftOp`].
pub fn fft<B: Backend>(op: FftOp, x: B::Tensor, dim: usize) -> B::Tensor {
    let (dtype, device) = (x.dtype(), B::device(&x));
    let x = wide::<B>(x);
    let matrix = Matrix::new(op, x.spec().shape[dim]);
    let (inputs, outputs) = (matrix.inputs(), matrix.outputs());
    // `[.., rows]`: `dim` comes last, or last but for the parts.
    let rank = x.spec().shape.rank() - usize::from(op != FftOp::Real);
    let order: Dims =
        (0..rank).filter(|&d| d != dim).chain([dim]).chain(rank..x.spec().shape.rank()).collect();
    let turned = B::permute(x, order);
    let outer = Dims::from(&turned.spec().shape[..rank - 1]);
    let (rows, in_row) = (outer.iter().product(), turned.spec().shape[rank - 1..].iter().product());
    let signal = B::reshape(turned, Shape::from([rows, in_row]));
    let signal = if in_row == inputs.len() {
        signal
    } else {
        let used: Vec<i64> = inputs.iter().map(|&(j, part)| (2 * j + usize::from(part)) as i64).collect();
        B::select(signal, 1, B::from_data(TensorData::from(used), &device))
    };
    let row = |&from| outputs.iter().map(move |&to| (from, to));
    let factors: Vec<f64> = inputs.iter().flat_map(row).map(|(from, to)| matrix.factor(from, to)).collect();
    let factors = TensorData::new(factors, [inputs.len(), outputs.len()]).convert_dtype(signal.dtype());
    let product = B::matmul(signal, B::from_data(factors, &device));
    // Back: `[.., size]` and the parts, where they come out, and `dim` at its index.
    let is_complex = !matches!(op, FftOp::Half { .. });
    let size = if is_complex { outputs.len() / 2 } else { outputs.len() };
    let parts = is_complex.then_some(2);
    let shape = outer.iter().copied().chain([size]).chain(parts).collect();
    let order = (0..dim).chain([rank - 1]).chain(dim..rank - 1).chain(parts.map(|_| rank)).collect();
    narrow::<B>(B::permute(B::reshape(product, shape), order), dtype)
}
