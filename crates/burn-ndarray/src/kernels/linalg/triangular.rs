use super::rows::{Real, add_product, pair, subtract};
use alloc::vec::Vec;
use burn_backend::Triangle;

/// Rows that are found one by one, after a product with all that were found before.
pub const BLOCK: usize = 32;

/// Whether the diagonal, if it is read, has a zero.
pub fn is_singular<E: Real>(a: &[E], size: usize, triangle: Triangle) -> bool {
    !triangle.unit && (0..size).any(|i| a[i * size + i] == E::zero())
}

/// Overwrites `x`, `[size, cols]`, with `a^-1 x`.
pub fn substitute<E: Real>(a: &[E], triangle: Triangle, x: &mut [E], size: usize, cols: usize) {
    let blocks = size.div_ceil(BLOCK);
    for step in 0..blocks {
        let start = BLOCK * if triangle.upper { blocks - 1 - step } else { step };
        let end = size.min(start + BLOCK);
        let known = if triangle.upper { end..size } else { 0..start };
        let negative: Vec<E> =
            (start..end).flat_map(|i| a[i * size..][known.clone()].iter().map(|&a| -a)).collect();
        let sizes = (end - start, cols, known.len());
        add_product(x, sizes, (start * cols, cols), &negative, (known.start * cols, cols));
        for step in start..end {
            let i = if triangle.upper { end - 1 - (step - start) } else { step };
            let known = if triangle.upper { i + 1..end } else { start..i };
            for j in known {
                let (low, high) = pair(x, cols, i.min(j), i.max(j));
                let (row, other) = if i < j { (low, high) } else { (high, low) };
                subtract(row, a[i * size + j], other);
            }
            if !triangle.unit {
                let pivot = a[i * size + i];
                x[i * cols..][..cols].iter_mut().for_each(|x| *x /= pivot);
            }
        }
    }
}
