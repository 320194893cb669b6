//! Factorisations by methods that are short and accurate, not fast: Gram-Schmidt and Jacobi.

use super::rows::{MatrixRows, columns, dot, jacobi, norm, pair, points_down, rotate, rows, scale, subtract};
use alloc::vec;
use alloc::vec::Vec;

/// Rounds of rotations; some eight are enough for any matrix.
const SWEEPS: usize = 60;

fn symmetric(x: &[f64], size: usize) -> MatrixRows {
    let at = |i: usize, j: usize| 0.5 * x[i * size + j] + 0.5 * x[j * size + i];
    (0..size).map(|i| (0..size).map(|j| at(i, j)).collect()).collect()
}

pub fn cholesky(x: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut lower = symmetric(x, size);
    for i in 0..size {
        for j in 0..=i {
            let rest = lower[i][j] - dot(&lower[i][..j], &lower[j][..j]);
            if i != j {
                lower[i][j] = rest / lower[j][j];
            } else if rest > 0.0 {
                lower[i][i] = libm::sqrt(rest);
            } else {
                return None;
            }
        }
        lower[i][i + 1..].fill(0.0);
    }
    Some(lower.concat())
}

/// Takes from `x` its parts along the orthonormal `basis`, and gives their lengths.
fn project_out(x: &mut [f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut lengths = vec![0.0; basis.len()];
    // Twice: what is left after the first time is right in all digits after the second.
    for _ in 0..2 {
        for (length, direction) in lengths.iter_mut().zip(basis) {
            let along = dot(direction, x);
            *length += along;
            subtract(x, along, direction);
        }
    }
    lengths
}

/// A unit vector at right angles to `basis`.
fn complement(basis: &[Vec<f64>], size: usize) -> Vec<f64> {
    let unit = |i: usize| {
        let mut unit = vec![0.0; size];
        unit[i] = 1.0;
        project_out(&mut unit, basis);
        unit
    };
    let longest = (0..size).map(unit).reduce(|best, x| if norm(&x) > norm(&best) { x } else { best });
    let mut longest = longest.unwrap_or_default();
    let length = norm(&longest);
    scale(&mut longest, 1.0 / length);
    project_out(&mut longest, basis);
    longest
}

pub fn qr(x: &[f64], m: usize, n: usize) -> Vec<f64> {
    let inner = m.min(n);
    let mut basis: MatrixRows = Vec::new();
    // Columns of R.
    let mut upper = Vec::new();
    for mut column in columns(x, m, n) {
        let size = norm(&column);
        let mut lengths = project_out(&mut column, &basis);
        if basis.len() < inner {
            let length = norm(&column);
            if length > size * f64::EPSILON * m as f64 {
                scale(&mut column, 1.0 / length);
                lengths.push(length);
            } else {
                column = complement(&basis, m);
                lengths.push(0.0);
            }
            basis.push(column);
        }
        lengths.resize(inner, 0.0);
        upper.push(lengths);
    }
    let mut stacked = transposed(&basis, m);
    stacked.extend(upper.concat());
    stacked
}

/// Columns of length `size` as a matrix in row-major order.
fn transposed(columns: &[Vec<f64>], size: usize) -> Vec<f64> {
    (0..size).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}

/// Each column with its largest element positive, and whether it was turned.
fn upright(column: &mut [f64]) -> bool {
    let turned = points_down(column);
    if turned {
        scale(column, -1.0);
    }
    turned
}

/// Rotates pairs of rows until `is_done` holds for all pairs.
fn sweep(size: usize, mut turn: impl FnMut(usize, usize) -> bool) -> Option<()> {
    for _ in 0..SWEEPS {
        let mut turned = false;
        for high in 1..size {
            for low in 0..high {
                turned |= turn(low, high);
            }
        }
        if !turned {
            return Some(());
        }
    }
    None
}

pub fn eigh(x: &[f64], size: usize) -> Option<Vec<f64>> {
    let mut matrix = symmetric(x, size);
    let scale_of_all = matrix.iter().flatten().fold(0.0, |largest: f64, x| largest.max(libm::fabs(*x)));
    let mut vectors: MatrixRows = rows(&identity(size), size, size);
    sweep(size, |low, high| {
        let (a, b, c) = (matrix[low][low], matrix[high][high], matrix[low][high]);
        let small = f64::EPSILON * 0.25 * libm::sqrt(libm::fabs(a) * libm::fabs(b));
        if libm::fabs(c) <= small.max(f64::MIN_POSITIVE).max(scale_of_all * 1e-18) {
            return false;
        }
        let (cos, sin) = jacobi(a, b, c);
        let (x, y) = pair(&mut matrix, low, high);
        rotate(x, y, cos, sin);
        for row in &mut matrix {
            (row[low], row[high]) = (row[low] * cos - row[high] * sin, row[low] * sin + row[high] * cos);
        }
        let (x, y) = pair(&mut vectors, low, high);
        rotate(x, y, cos, sin);
        true
    })?;
    let mut found: Vec<(f64, Vec<f64>)> =
        vectors.into_iter().enumerate().map(|(i, vector)| (matrix[i][i], vector)).collect();
    found.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (values, mut vectors): (Vec<f64>, MatrixRows) = found.into_iter().unzip();
    vectors.iter_mut().for_each(|vector| {
        upright(vector);
    });
    let mut stacked = transposed(&vectors, size);
    stacked.extend(values);
    Some(stacked)
}

fn identity(size: usize) -> Vec<f64> {
    (0..size * size).map(|at| if at / size.max(1) == at % size.max(1) { 1.0 } else { 0.0 }).collect()
}

pub fn svd(x: &[f64], m: usize, n: usize) -> Option<Vec<f64>> {
    // Rotations work on the shorter side: columns of `x`, or its rows.
    let (wide, inner) = (n > m, m.min(n));
    let mut long = if wide { rows(x, m, n) } else { columns(x, m, n) };
    let mut short: MatrixRows = rows(&identity(inner), inner, inner);
    let largest = long.iter().map(|x| norm(x)).fold(0.0, f64::max);
    let tolerance = f64::EPSILON * m.max(n) as f64;
    sweep(inner, |low, high| {
        let (x, y) = pair(&mut long, low, high);
        let (a, b, c) = (dot(x, x), dot(y, y), dot(x, y));
        // A vector of nothing but rounding has no direction.
        let is_nothing = libm::sqrt(a.min(b)) <= largest * f64::EPSILON * 0.01;
        if is_nothing || libm::fabs(c) <= tolerance * libm::sqrt(a) * libm::sqrt(b) {
            return false;
        }
        let (cos, sin) = jacobi(a, b, c);
        rotate(x, y, cos, sin);
        let (x, y) = pair(&mut short, low, high);
        rotate(x, y, cos, sin);
        true
    })?;
    let mut found: Vec<(f64, Vec<f64>, Vec<f64>)> =
        long.into_iter().zip(short).map(|(long, short)| (norm(&long), long, short)).collect();
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let largest = found.first().map_or(0.0, |first| first.0);
    let (mut values, mut lefts, mut rights): (Vec<f64>, MatrixRows, MatrixRows) = Default::default();
    let mut longs: MatrixRows = Vec::new();
    for (value, mut long, short) in found {
        if value > largest * f64::EPSILON * 0.01 {
            scale(&mut long, 1.0 / value);
        } else {
            long = complement(&longs, m.max(n));
        }
        longs.push(long.clone());
        let (mut left, mut right) = if wide { (short, long) } else { (long, short) };
        if upright(&mut left) {
            scale(&mut right, -1.0);
        }
        values.push(value);
        lefts.push(left);
        rights.push(right);
    }
    let mut stacked = transposed(&lefts, m);
    stacked.extend(values);
    stacked.extend(transposed(&rights, n));
    Some(stacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(x: &[f64], y: &[f64], m: usize, k: usize, n: usize) -> Vec<f64> {
        let at = |i: usize, j: usize| (0..k).map(|l| x[i * k + l] * y[l * n + j]).sum();
        (0..m * n).map(|at_| at(at_ / n, at_ % n)).collect()
    }

    fn sample(m: usize, n: usize) -> Vec<f64> {
        (0..m * n).map(|k| (k as f64 * 0.618_033_988_749_895 + 0.137).fract() * 6.0 - 3.0).collect()
    }

    fn assert_near(x: &[f64], y: &[f64]) {
        assert_eq!(x.len(), y.len());
        x.iter().zip(y).for_each(|(x, y)| assert!((x - y).abs() < 1e-12, "{x} and {y}"));
    }

    fn turned(x: &[f64], m: usize, n: usize) -> Vec<f64> {
        columns(x, m, n).concat()
    }

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (m, n) in [(1, 1), (4, 4), (6, 3), (3, 6)] {
            let (x, k) = (sample(m, n), m.min(n));
            let stacked = qr(&x, m, n);
            let (q, r) = stacked.split_at(m * k);
            assert_near(&product(q, &turned(r, n, k), m, k, n), &x);
            assert_near(&product(&turned(q, m, k), q, k, m, k), &identity(k));
            let stacked = svd(&x, m, n).expect("converges");
            let (u, rest) = stacked.split_at(m * k);
            let (s, v) = rest.split_at(k);
            let scaled: Vec<f64> = u.iter().enumerate().map(|(at, u)| u * s[at % k]).collect();
            assert_near(&product(&scaled, &turned(v, n, k), m, k, n), &x);
            assert_near(&product(&turned(u, m, k), u, k, m, k), &identity(k));
            assert_near(&product(&turned(v, n, k), v, k, n, k), &identity(k));
            assert!(s.windows(2).all(|pair| pair[0] >= pair[1]));
        }
    }

    #[test]
    fn symmetric_factors_multiply_to_the_matrix() {
        let x = sample(5, 5);
        let square = product(&x, &turned(&x, 5, 5), 5, 5, 5);
        let lower = cholesky(&square, 5).expect("positive definite");
        assert_near(&product(&lower, &turned(&lower, 5, 5), 5, 5, 5), &square);
        let stacked = eigh(&square, 5).expect("converges");
        let (vectors, values) = stacked.split_at(25);
        let scaled: Vec<f64> = vectors.iter().enumerate().map(|(at, x)| x * values[at % 5]).collect();
        assert_near(&product(&scaled, &turned(vectors, 5, 5), 5, 5, 5), &square);
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn a_matrix_without_rank_still_has_orthonormal_factors() {
        let x = [1.0, 2.0, 2.0, 4.0, 3.0, 6.0];
        let stacked = svd(&x, 3, 2).expect("converges");
        let (u, v) = (&stacked[..6], &stacked[8..]);
        assert_near(&product(&turned(u, 3, 2), u, 2, 3, 2), &identity(2));
        assert_near(&product(&turned(v, 2, 2), v, 2, 2, 2), &identity(2));
        assert_near(&stacked[6..8], &[70_f64.sqrt(), 0.0]);
        let stacked = qr(&[0.0; 6], 3, 2);
        assert_near(&product(&turned(&stacked[..6], 3, 2), &stacked[..6], 2, 3, 2), &identity(2));
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        assert_eq!(cholesky(&[1.0, 2.0, 2.0, 1.0], 2), None);
        assert_eq!(cholesky(&[0.0], 1), None);
    }
}
