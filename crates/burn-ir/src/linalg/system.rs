use super::rows::{MatrixRows, rows, subtract};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Triangle of a matrix that is read; the other part is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Triangle {
    /// The part on and above the diagonal, else on and below it.
    pub upper: bool,
    /// The diagonal is not read: it is all ones.
    pub unit: bool,
}

impl Triangle {
    /// Every kind of triangle.
    pub const ALL: [Triangle; 4] = [
        Triangle { upper: false, unit: false },
        Triangle { upper: false, unit: true },
        Triangle { upper: true, unit: false },
        Triangle { upper: true, unit: true },
    ];

    /// Returns the triangle of the transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Self {
        Triangle { upper: !self.upper, ..self }
    }

    /// Solves a triangular system, `a^-1 b` by substitution, `a: [n, n]` and `b: [n, k]` in row-major order:
    /// the reference for every kernel. NaN where the diagonal has a zero.
    pub fn solve_f64(self, a: &[f64], b: &[f64], n: usize, k: usize) -> Vec<f64> {
        let singular = !self.unit && (0..n).any(|i| a[i * n + i] == 0.0);
        if singular {
            return vec![f64::NAN; n * k];
        }
        let mut x = rows(b, n, k);
        for step in 0..n {
            let i = if self.upper { n - 1 - step } else { step };
            let known = if self.upper { i + 1..n } else { 0..i };
            let mut row = core::mem::take(&mut x[i]);
            known.for_each(|j| subtract(&mut row, a[i * n + j], &x[j]));
            if !self.unit {
                row.iter_mut().for_each(|x| *x /= a[i * n + i]);
            }
            x[i] = row;
        }
        x.concat()
    }
}

/// Computes the LU decomposition `x[rows] = L U` with partial pivoting, of equal pivots the first: `L`
/// without its diagonal of ones below `U`, and the rows. For one matrix `[m, n]` in row-major order; NaN and
/// the identity permutation where it is not finite.
pub fn lu_f64(x: &[f64], m: usize, n: usize) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..m).collect();
    if !x.iter().all(|x| x.is_finite()) {
        return (vec![f64::NAN; m * n], order);
    }
    let mut packed: MatrixRows = rows(x, m, n);
    for k in 0..m.min(n) {
        let larger = |best: usize, i: usize| {
            if libm::fabs(packed[i][k]) > libm::fabs(packed[best][k]) { i } else { best }
        };
        let pivot = (k + 1..m).fold(k, larger);
        packed.swap(k, pivot);
        order.swap(k, pivot);
        let row = packed[k].clone();
        if row[k] == 0.0 {
            continue;
        }
        for lower in &mut packed[k + 1..] {
            lower[k] /= row[k];
            let factor = lower[k];
            subtract(&mut lower[k + 1..], factor, &row[k + 1..]);
        }
    }
    (packed.concat(), order)
}

/// Solves a linear system, `a^-1 b` by [`lu_f64`], `a: [n, n]` and `b: [n, k]` in row-major order. NaN where
/// `a` is singular or not finite.
pub fn solve_f64(a: &[f64], b: &[f64], n: usize, k: usize) -> Vec<f64> {
    let (packed, order) = lu_f64(a, n, n);
    let permuted: Vec<f64> = order.iter().flat_map(|&i| b[i * k..][..k].iter().copied()).collect();
    let lower = Triangle { upper: false, unit: true };
    let upper = Triangle { upper: true, unit: false };
    upper.solve_f64(&packed, &lower.solve_f64(&packed, &permuted, n, k), n, k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_equations() {
        // 2 x + y = 5, x + 3 y = 10.
        assert_eq!(solve_f64(&[2.0, 1.0, 1.0, 3.0], &[5.0, 10.0], 2, 1), [1.0, 3.0]);
        assert!(solve_f64(&[1.0, 2.0, 2.0, 4.0], &[1.0, 1.0], 2, 1)[0].is_nan());
    }

    #[test]
    fn rows_are_exchanged() {
        let (packed, order) = lu_f64(&[1.0, 2.0, 4.0, 4.0], 2, 2);
        assert_eq!((packed, order), (vec![4.0, 4.0, 0.25, 1.0], vec![1, 0]));
    }

    #[test]
    fn triangles_are_read_alone() {
        let a = [2.0, 7.0, 3.0, 4.0];
        let solve = |upper, unit| Triangle { upper, unit }.solve_f64(&a, &[2.0, 8.0], 2, 1);
        assert_eq!(solve(false, false), [1.0, 1.25]);
        assert_eq!(solve(true, false), [-6.0, 2.0]);
        assert_eq!(solve(false, true), [2.0, 2.0]);
        assert_eq!(solve(true, true), [-54.0, 8.0]);
    }
}
