use super::rows::{Real, pair, subtract, subtract_product, swap_rows};

/// Columns that are eliminated before the rest of the matrix is updated.
const BLOCK: usize = 32;

/// Overwrites `x` with its factors; `order` becomes the rows of `x` in their new order.
pub fn lu<E: Real>(x: &mut [E], rows: usize, cols: usize, order: &mut [usize]) {
    order.iter_mut().enumerate().for_each(|(i, order)| *order = i);
    let inner = rows.min(cols);
    for start in (0..inner).step_by(BLOCK) {
        let end = inner.min(start + BLOCK);
        (start..end).for_each(|k| eliminate(x, (rows, cols), k, end, order));
        for k in start..end {
            for i in k + 1..end {
                let (upper, lower) = pair(x, cols, k, i);
                let factor = lower[k];
                subtract(&mut lower[end..], factor, &upper[end..]);
            }
        }
        let at = |row: usize, col: usize| (row * cols + col, cols);
        let sizes = (rows - end, cols - end, end - start);
        subtract_product(x, sizes, at(end, end), at(end, start), at(start, end));
    }
}

/// Brings the largest pivot of column `k` up, and takes its row from those below, up to column `end`.
fn eliminate<E: Real>(x: &mut [E], (rows, cols): (usize, usize), k: usize, end: usize, order: &mut [usize]) {
    let size = |i: usize| x[i * cols + k].abs();
    let pivot = (k + 1..rows).fold(k, |best, i| if size(i) > size(best) { i } else { best });
    swap_rows(x, cols, k, pivot);
    order.swap(k, pivot);
    let value = x[k * cols + k];
    if value == E::zero() {
        return;
    }
    for i in k + 1..rows {
        let (upper, lower) = pair(x, cols, k, i);
        lower[k] /= value;
        let factor = lower[k];
        subtract(&mut lower[k + 1..end], factor, &upper[k + 1..end]);
    }
}
