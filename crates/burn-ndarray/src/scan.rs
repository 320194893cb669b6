//! Running reductions along a dimension.

use crate::number::Number;
use crate::parallel::{self, Shared};
use burn_backend::CumulativeOp;
use core::slice;

/// Rows that are walked side by side: a sum waits for the one before it, the other rows do not.
const ROWS: usize = 4;
/// Columns that are carried along together.
const COLUMNS: usize = 256;

/// Writes the running reduction of `xs`, `[outer, size, inner]`, along the middle dimension.
pub fn scan<E: Number>(op: CumulativeOp, xs: &[E], out: &mut [E], dims: [usize; 3]) {
    match op {
        CumulativeOp::Sum => scan_with(xs, out, dims, E::plus),
        CumulativeOp::Prod => scan_with(xs, out, dims, E::times),
        CumulativeOp::Max => scan_with(xs, out, dims, E::larger),
        CumulativeOp::Min => scan_with(xs, out, dims, E::smaller),
    }
}

fn scan_with<E: Number>(
    xs: &[E],
    out: &mut [E],
    [outer, size, inner]: [usize; 3],
    f: impl Fn(E, E) -> E + Sync + Copy,
) {
    assert!(
        xs.len() == outer * size * inner && out.len() == xs.len(),
        "results have the shape of the operand"
    );
    if xs.is_empty() {
        return;
    }
    let start = Shared(out.as_mut_ptr());
    if inner == 1 {
        return parallel::for_ranges(outer, size * 2, &|rows| {
            let part = rows.start * size..rows.end * size;
            // SAFETY: ranges of rows do not overlap.
            let out = unsafe { slice::from_raw_parts_mut(start.get().add(part.start), part.len()) };
            scan_rows(&xs[part], out, size, f);
        });
    }
    let bands = inner.div_ceil(COLUMNS);
    parallel::for_ranges(outer * bands, size * inner.min(COLUMNS), &|range| {
        for index in range {
            let (first, column) = (index / bands * size * inner, index % bands * COLUMNS);
            let width = COLUMNS.min(inner - column);
            // SAFETY: each index has its own columns of its own part.
            unsafe {
                scan_columns(&xs[first + column..], start.get().add(first + column), size, inner, width, f)
            };
        }
    });
}

/// Scans each row.
fn scan_rows<E: Number>(xs: &[E], out: &mut [E], size: usize, f: impl Fn(E, E) -> E) {
    let mut groups = xs.chunks_exact(size * ROWS);
    let mut outs = out.chunks_exact_mut(size * ROWS);
    for (xs, out) in (&mut groups).zip(&mut outs) {
        let xs: [&[E]; ROWS] = core::array::from_fn(|row| &xs[row * size..][..size]);
        let mut rows = out.chunks_exact_mut(size);
        let out: [&mut [E]; ROWS] = core::array::from_fn(|_| rows.next().expect("as many rows"));
        let mut last: [E; ROWS] = core::array::from_fn(|row| xs[row][0]);
        for row in 0..ROWS {
            out[row][0] = last[row];
        }
        for i in 1..size {
            for row in 0..ROWS {
                last[row] = f(last[row], xs[row][i]);
                out[row][i] = last[row];
            }
        }
    }
    let rest = groups.remainder().chunks_exact(size).zip(outs.into_remainder().chunks_exact_mut(size));
    for (xs, out) in rest {
        let mut last = xs[0];
        out[0] = last;
        for (out, &x) in out[1..].iter_mut().zip(&xs[1..]) {
            last = f(last, x);
            *out = last;
        }
    }
}

/// Scans `width` neighbouring columns whose elements lie `step` apart.
///
/// # Safety
/// The columns may be written, and nobody else does.
unsafe fn scan_columns<E: Number>(
    xs: &[E],
    out: *mut E,
    size: usize,
    step: usize,
    width: usize,
    f: impl Fn(E, E) -> E,
) {
    let mut last = [E::ZERO; COLUMNS];
    let last = &mut last[..width];
    last.copy_from_slice(&xs[..width]);
    for k in 0..size {
        let xs = &xs[k * step..][..width];
        // SAFETY: by the contract.
        let out = unsafe { slice::from_raw_parts_mut(out.add(k * step), width) };
        if k > 0 {
            for i in 0..width {
                last[i] = f(last[i], xs[i]);
            }
        }
        out.copy_from_slice(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_of_the_dimension_gives_the_same_sums() {
        for dims in [[1, 7, 1], [5, 3, 1], [9, 300, 1], [2, 5, 3], [1, 4, 700], [3, 1, 2], [2, 0, 3]] {
            let [outer, size, inner] = dims;
            let xs: Vec<i64> = (0..(outer * size * inner) as i64).map(|i| i * 7 % 11 - 5).collect();
            let mut out = vec![99; xs.len()];
            scan(CumulativeOp::Sum, &xs, &mut out, dims);
            for (at, &found) in out.iter().enumerate() {
                let (o, k, i) = (at / inner / size, at / inner % size, at % inner);
                let expected: i64 = (0..=k).map(|k| xs[(o * size + k) * inner + i]).sum();
                assert_eq!(found, expected, "{dims:?} at {at}");
            }
        }
    }
}
