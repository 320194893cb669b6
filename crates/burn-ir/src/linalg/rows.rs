//! Vectors, and matrices as lists of them.

use alloc::vec::Vec;

/// Rows of a matrix.
pub type MatrixRows = Vec<Vec<f64>>;

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

pub fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |largest: f64, x| largest.max(libm::fabs(*x)));
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = x.iter().map(|x| (x / largest) * (x / largest)).sum();
    largest * libm::sqrt(squares)
}

/// Computes `y -= factor x`.
pub fn subtract(y: &mut [f64], factor: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y -= factor * x);
}

pub fn scale(x: &mut [f64], factor: f64) {
    x.iter_mut().for_each(|x| *x *= factor);
}

/// Returns the rows of a matrix in row-major order.
pub fn rows(x: &[f64], rows: usize, cols: usize) -> MatrixRows {
    (0..rows).map(|i| x[i * cols..][..cols].to_vec()).collect()
}

/// Returns the columns of a matrix in row-major order.
pub fn columns(x: &[f64], rows: usize, cols: usize) -> MatrixRows {
    (0..cols).map(|j| (0..rows).map(|i| x[i * cols + j]).collect()).collect()
}

/// Turns `x` and `y` in their plane: `x cos - y sin`, `x sin + y cos`.
pub fn rotate(x: &mut [f64], y: &mut [f64], cos: f64, sin: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (*x * cos - *y * sin, *x * sin + *y * cos);
    }
}

/// Borrows two different rows.
pub fn pair(rows: &mut [Vec<f64>], low: usize, high: usize) -> (&mut Vec<f64>, &mut Vec<f64>) {
    let (head, tail) = rows.split_at_mut(high);
    (&mut head[low], &mut tail[0])
}

/// Computes cosine and sine of the Jacobi rotation that diagonalizes `[[x, z], [z, y]]`.
pub fn jacobi(x: f64, y: f64, z: f64) -> (f64, f64) {
    let ratio = (y - x) / (2.0 * z);
    let sign = if ratio < 0.0 { -1.0 } else { 1.0 };
    let tangent = sign / (libm::fabs(ratio) + libm::sqrt(1.0 + ratio * ratio));
    let cos = 1.0 / libm::sqrt(1.0 + tangent * tangent);
    (cos, tangent * cos)
}

/// Returns whether the largest element, of several the first, is negative.
pub fn points_down(x: &[f64]) -> bool {
    let larger = |best: f64, &x: &f64| if libm::fabs(x) > libm::fabs(best) { x } else { best };
    x.iter().fold(0.0, larger) < 0.0
}
