use super::reflector::{reflect, reflector};
use super::rows::{Real, dot, largest, norm, rotate, scale, subtract, symmetric, transposed};
use crate::memory::list;
use alloc::vec::Vec;

/// Steps that one eigenvalue may take; two or three are usual.
const STEPS: usize = 80;

/// Computes `V` over `w`: reduces to a tridiagonal matrix by Householder reflections, then to a diagonal one
/// by implicit QL steps. `false` where the iteration does not converge.
pub fn eigh<E: Real>(x: &[E], size: usize, out: &mut [E]) -> bool {
    let mut work = list(E::zero(), size * size);
    symmetric(x, size, &mut work);
    let unit = unit_of(&work);
    scale(&mut work, E::one() / unit);
    let (mut diagonal, mut beside, vectors) = tridiagonal(&mut work, size);
    // Rows, so that a rotation touches elements that lie in order.
    let mut vectors = transposed(&vectors, size, size);
    if !ql(&mut diagonal, &mut beside, &mut vectors, size) {
        return false;
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|&i, &j| diagonal[i].partial_cmp(&diagonal[j]).unwrap_or(core::cmp::Ordering::Equal));
    let (columns, values) = out.split_at_mut(size * size);
    for (place, &from) in order.iter().enumerate() {
        let vector = &vectors[from * size..][..size];
        let sign = if points_down(vector) { -E::one() } else { E::one() };
        (0..size).for_each(|i| columns[i * size + place] = sign * vector[i]);
        values[place] = diagonal[from] * unit;
    }
    true
}

/// Whether the largest element, of several the first, is negative.
pub fn points_down<E: Real>(x: &[E]) -> bool {
    x.iter().fold(E::zero(), |best, &x| if x.abs() > best.abs() { x } else { best }) < E::zero()
}

/// Returns the divisor that keeps squares of the elements in range: 1 for all but extreme matrices.
pub fn unit_of<E: Real>(x: &[E]) -> E {
    let (size, far) = (largest(x), E::max_value().sqrt().sqrt());
    if size > far || (size > E::zero() && size < E::one() / far) { size } else { E::one() }
}

/// Diagonal, the one beside it, and the matrix of the change of basis, of a symmetric matrix.
fn tridiagonal<E: Real>(x: &mut [E], size: usize) -> (Vec<E>, Vec<E>, Vec<E>) {
    let mut beside = list(E::zero(), size);
    let mut reflectors = list(E::zero(), size * size);
    let mut along = list(E::zero(), size);
    for j in 0..size.saturating_sub(1) {
        let from = j + 1;
        let v = &mut reflectors[j * size + from..][..size - from];
        v.copy_from_slice(&x[j * size + from..][..size - from]);
        beside[j] = reflector(v);
        // `x - 2 v w^T - 2 w v^T` with `w = x v - (v^T x v) v`, for what is below and right of the diagonal.
        let along = &mut along[..size - from];
        for (i, along) in along.iter_mut().enumerate() {
            *along = dot(&x[(from + i) * size + from..][..size - from], v);
        }
        let middle = dot(along, v);
        subtract(along, middle, v);
        for i in 0..size - from {
            let row = &mut x[(from + i) * size + from..][..size - from];
            subtract(row, v[i] + v[i], along);
            subtract(row, along[i] + along[i], v);
        }
    }
    let diagonal = (0..size).map(|i| x[i * size + i]).collect();
    let mut vectors = list(E::zero(), size * size);
    (0..size).for_each(|i| vectors[i * size + i] = E::one());
    for j in (0..size.saturating_sub(1)).rev() {
        let v = &reflectors[j * size + j + 1..(j + 1) * size];
        reflect(v, &mut vectors[(j + 1) * size..], size, j + 1, &mut along);
    }
    (diagonal, beside, vectors)
}

/// QL steps with the shift of Wilkinson; `vectors` has a row for each element of the diagonal.
fn ql<E: Real>(diagonal: &mut [E], beside: &mut [E], vectors: &mut [E], size: usize) -> bool {
    let two = E::one() + E::one();
    for first in 0..size {
        let mut steps = 0;
        loop {
            let is_small = |i: usize| {
                beside[i].abs() <= E::epsilon() * (diagonal[i].abs() + diagonal[i + 1].abs())
                    || beside[i].abs() < E::min_positive_value()
            };
            let last = (first..size - 1).find(|&i| is_small(i)).unwrap_or(size - 1);
            if last == first {
                break;
            }
            steps += 1;
            if steps > STEPS {
                return false;
            }
            let ratio = (diagonal[first + 1] - diagonal[first]) / (two * beside[first]);
            let root = norm(&[ratio, E::one()]);
            let far = if ratio < E::zero() { ratio - root } else { ratio + root };
            let mut g = diagonal[last] - diagonal[first] + beside[first] / far;
            let (mut sin, mut cos, mut shift) = (E::one(), E::one(), E::zero());
            let mut split = false;
            for i in (first..last).rev() {
                let (f, b) = (sin * beside[i], cos * beside[i]);
                let length = norm(&[f, g]);
                beside[i + 1] = length;
                if length == E::zero() {
                    // The matrix falls apart here.
                    diagonal[i + 1] -= shift;
                    beside[last] = E::zero();
                    split = true;
                    break;
                }
                (sin, cos) = (f / length, g / length);
                g = diagonal[i + 1] - shift;
                let turn = (diagonal[i] - g) * sin + two * cos * b;
                shift = sin * turn;
                diagonal[i + 1] = g + shift;
                g = cos * turn - b;
                let (low, high) = super::rows::pair(vectors, size, i, i + 1);
                rotate(low, high, cos, sin);
            }
            if !split {
                diagonal[first] -= shift;
                beside[first] = g;
                beside[last] = E::zero();
            }
        }
    }
    true
}
