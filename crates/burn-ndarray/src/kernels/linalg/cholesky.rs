use super::rows::{Real, dot, symmetric};

/// The lower factor, row by row; `false` where the matrix is not positive definite.
pub fn cholesky<E: Real>(x: &[E], size: usize, out: &mut [E]) -> bool {
    symmetric(x, size, out);
    for i in 0..size {
        let (done, rest) = out.split_at_mut(i * size);
        let row = &mut rest[..size];
        for (j, other) in done.chunks_exact(size).enumerate() {
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let pivot = row[i] - dot(&row[..i], &row[..i]);
        if pivot.is_nan() || pivot <= E::zero() {
            return false;
        }
        row[i] = pivot.sqrt();
        row[i + 1..].fill(E::zero());
    }
    true
}
