use super::decompose;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Matrix factorization, `[.., m, n]` with `k = min(m, n)`. The factors lie one below the other in one
/// tensor.
///
/// Where there is no such product, or an element is not finite, every element of that matrix's result is NaN.
/// Signs that the definition leaves open are fixed, so that every backend gives the same factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Factorization {
    /// `S = L L^T` of the symmetric part `S = (x + x^T) / 2`, which must be positive definite: `L`, lower
    /// triangular with a positive diagonal.
    Cholesky,
    /// `x = Q R` with orthonormal columns in `Q` and `R` upper triangular, its diagonal not negative:
    /// `Q` over `R^T`, `[.., m + n, k]`.
    Qr,
    /// `x = U diag(s) V^T` with orthonormal columns in `U` and `V` and `s` descending, not negative:
    /// `U` over `s` over `V`, `[.., m + 1 + n, k]`. The largest element of each column of `U` is positive (of
    /// several, the first).
    Svd,
    /// `S = V diag(w) V^T` of the symmetric part `S = (x + x^T) / 2`, with `w` ascending and orthonormal
    /// columns in `V`: `V` over `w`, `[.., n + 1, n]`. The largest element of each column is positive (of
    /// several, the first).
    Eigh,
}

impl Factorization {
    /// Every factorisation, in declaration order.
    pub const ALL: [Factorization; 4] =
        [Factorization::Cholesky, Factorization::Qr, Factorization::Svd, Factorization::Eigh];

    pub fn name(self) -> &'static str {
        match self {
            Factorization::Cholesky => "cholesky",
            Factorization::Qr => "qr",
            Factorization::Svd => "svd",
            Factorization::Eigh => "eigh",
        }
    }

    /// Returns whether the factorization is defined for square matrices only.
    pub fn needs_square(self) -> bool {
        matches!(self, Factorization::Cholesky | Factorization::Eigh)
    }

    /// Returns the rows and columns of the result for a matrix of this size; `None` if they do not fit a
    /// `usize`.
    pub fn result_size(self, rows: usize, cols: usize) -> Option<(usize, usize)> {
        let inner = rows.min(cols);
        match self {
            Factorization::Cholesky => Some((rows, cols)),
            Factorization::Qr => Some((rows.checked_add(cols)?, inner)),
            Factorization::Svd => Some((rows.checked_add(cols)?.checked_add(1)?, inner)),
            Factorization::Eigh => Some((rows.checked_add(1)?, cols)),
        }
    }

    /// Computes the reference for every kernel, for one matrix in row-major order.
    pub fn eval_f64(self, x: &[f64], rows: usize, cols: usize) -> Vec<f64> {
        let result = if x.iter().all(|x| x.is_finite()) {
            match self {
                Factorization::Cholesky => decompose::cholesky(x, rows),
                Factorization::Qr => Some(decompose::qr(x, rows, cols)),
                Factorization::Svd => decompose::svd(x, rows, cols),
                Factorization::Eigh => decompose::eigh(x, rows),
            }
        } else {
            None
        };
        result.unwrap_or_else(|| {
            let (rows, cols) = self.result_size(rows, cols).unwrap_or_default();
            alloc::vec![f64::NAN; rows * cols]
        })
    }
}
