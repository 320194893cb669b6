//! Row operations that the linear algebra kernels share, on row-major matrices.

use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::product::Product;
use alloc::vec::Vec;
use bytemuck::Pod;
use num_traits::{Float, NumAssign};

/// An element of matrices that are factorised.
pub trait Real: Float + NumAssign + Product + Pod + Send + Sync {
    /// `f64` and `f32` only, so every number of this kind is at hand.
    fn of(x: f64) -> Self {
        <Self as num_traits::NumCast>::from(x).expect("a float holds it")
    }
}
impl Real for f64 {}
impl Real for f32 {}

const LANES: usize = 8;

#[inline]
pub fn dot<E: Real>(x: &[E], y: &[E]) -> E {
    let len = x.len().min(y.len());
    let (x_lanes, x_rest) = x[..len].as_chunks::<LANES>();
    let (y_lanes, y_rest) = y[..len].as_chunks::<LANES>();
    let mut sums = [E::zero(); LANES];
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest = x_rest.iter().zip(y_rest).fold(E::zero(), |sum, (&x, &y)| sum + x * y);
    sums.into_iter().fold(rest, |sum, lane| sum + lane)
}

/// `y -= factor x`.
#[inline]
pub fn subtract<E: Real>(y: &mut [E], factor: E, x: &[E]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

#[inline]
pub fn scale<E: Real>(x: &mut [E], factor: E) {
    for x in x {
        *x *= factor;
    }
}

/// `x cos - y sin` and `x sin + y cos`.
#[inline]
pub fn rotate<E: Real>(x: &mut [E], y: &mut [E], cos: E, sin: E) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (*x * cos - *y * sin, *x * sin + *y * cos);
    }
}

/// The largest magnitude.
pub fn largest<E: Real>(x: &[E]) -> E {
    x.iter().fold(E::zero(), |largest, x| largest.max(x.abs()))
}

/// The length of a vector, also where squares leave the range.
pub fn norm<E: Real>(x: &[E]) -> E {
    let squares = dot(x, x);
    if squares > E::min_positive_value() / E::epsilon() && squares.is_finite() {
        return squares.sqrt();
    }
    let unit = largest(x);
    if unit == E::zero() {
        return unit;
    }
    unit * x.iter().fold(E::zero(), |sum, &x| sum + (x / unit) * (x / unit)).sqrt()
}

/// Two different rows of a matrix.
#[inline]
pub fn pair<E>(x: &mut [E], cols: usize, low: usize, high: usize) -> (&mut [E], &mut [E]) {
    let (head, tail) = x.split_at_mut(high * cols);
    (&mut head[low * cols..][..cols], &mut tail[..cols])
}

pub fn swap_rows<E>(x: &mut [E], cols: usize, one: usize, other: usize) {
    if one != other {
        let (x, y) = pair(x, cols, one.min(other), one.max(other));
        x.swap_with_slice(y);
    }
}

/// The transposed matrix.
pub fn transposed<E: Copy>(x: &[E], rows: usize, cols: usize) -> Vec<E> {
    (0..cols).flat_map(|j| (0..rows).map(move |i| x[i * cols + j])).collect()
}

/// The symmetric part of a square matrix.
pub fn symmetric<E: Real>(x: &[E], size: usize, out: &mut [E]) {
    let half = E::of(0.5);
    for i in 0..size {
        for j in 0..=i {
            let mean = half * x[i * size + j] + half * x[j * size + i];
            out[i * size + j] = mean;
            out[j * size + i] = mean;
        }
    }
}

/// A block of a matrix: its first element, and the columns of the whole.
pub type BlockStart = (usize, usize);

/// `x[out] -= x[lhs] x[rhs]` of blocks that do not overlap.
pub fn subtract_product<E: Real>(
    x: &mut [E],
    sizes: Sizes,
    out: BlockStart,
    lhs: BlockStart,
    rhs: BlockStart,
) {
    let (rows, _, depth) = sizes;
    let negative: Vec<E> =
        (0..rows).flat_map(|i| x[lhs.0 + i * lhs.1..][..depth].iter().map(|&x| -x)).collect();
    add_product(x, sizes, out, &negative, rhs);
}

/// `x[out] += lhs x[rhs]` of blocks that do not overlap; `lhs` has its rows in order.
pub fn add_product<E: Real>(x: &mut [E], sizes: Sizes, out: BlockStart, lhs: &[E], rhs: BlockStart) {
    let (rows, cols, depth) = sizes;
    if rows == 0 || cols == 0 || depth == 0 {
        return;
    }
    let end = |(start, step): BlockStart, rows: usize| start + (rows - 1) * step + cols;
    assert!(end(out, rows) <= x.len() && end(rhs, depth) <= x.len() && lhs.len() == rows * depth);
    let start = x.as_mut_ptr();
    let target = Matrix::new(start.wrapping_add(out.0), out.1, 1);
    let left = Matrix::new(lhs.as_ptr(), depth, 1);
    let right = Matrix::new(start.wrapping_add(rhs.0).cast_const(), rhs.1, 1);
    let parallel = rows * cols * depth > 1 << 18;
    // SAFETY: all three lie within their slices, as was checked, and what is written overlaps nothing that is
    // read.
    unsafe { E::product(sizes, target, true, left, right, parallel) };
}
