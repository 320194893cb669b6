//! Running reductions along a dimension. Narrow elements are widened a piece at a time: workspace is a copy of a view, and
//! 64 KiB a thread.

use crate::buffer::Buffer;
use crate::dtype::{wide, with_wide};
use crate::layout::around;
use crate::load::Wide;
use crate::number::Number;
use crate::parallel::{self, Shared};
use crate::tensor::NdTensor;
use burn_backend::{CumulativeOp, DType, HasSpec};
use core::slice;

/// Rows that are walked side by side: a sum waits for the one before it, the other rows do not.
const ROWS: usize = 4;
/// Columns that are carried along together.
const COLUMNS: usize = 256;

/// Elements that are widened together.
const TILE: usize = 4096;

/// Running reduction along `dim`.
pub fn cumulative(op: CumulativeOp, x: NdTensor, dim: usize) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = x.into_contiguous();
    let dims = around(x.shape(), dim);
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!(wide(dtype), E => {
        if E::dtype() == dtype {
            scan(op, x.slice::<E>(), out.make_mut::<E>(), dims);
        } else {
            scan_narrow::<E>(op, &x, &mut out, dims);
        }
    });
    out
}

/// [`scan`] of elements that are computed in a wider type.
fn scan_narrow<E: Wide>(op: CumulativeOp, x: &NdTensor, out: &mut NdTensor, dims: [usize; 3]) {
    match op {
        CumulativeOp::Sum => scan_narrow_with(x, out, dims, E::plus),
        CumulativeOp::Prod => scan_narrow_with(x, out, dims, E::times),
        CumulativeOp::Max => scan_narrow_with(x, out, dims, E::larger),
        CumulativeOp::Min => scan_narrow_with(x, out, dims, E::smaller),
    }
}

fn scan_narrow_with<E: Wide>(
    x: &NdTensor,
    out: &mut NdTensor,
    [outer, size, inner]: [usize; 3],
    f: impl Fn(E, E) -> E + Sync + Copy,
) {
    let dtype: DType = x.spec().dtype;
    let (load, store, width) = (E::load(dtype), E::store(dtype), dtype.size());
    let (from, to) = (Shared(x.start().cast_mut()), Shared(out.start_mut()));
    if x.len() == 0 {
    } else if inner == 1 && size <= TILE {
        parallel::for_ranges(outer, size * 2, &|rows| {
            let mut tiles = Buffer::new(2 * TILE * size_of::<E>());
            let tiles: &mut [E] = tiles.as_mut_slice().expect("a new buffer is unique");
            let (read, written) = tiles.split_at_mut(TILE);
            let together = TILE / size;
            for first in rows.clone().step_by(together) {
                let len = together.min(rows.end - first) * size;
                let at = first * size * width;
                // SAFETY: the elements lie within both tensors, and each is written once.
                unsafe {
                    load(from.get().wrapping_add(at), 1, &mut read[..len]);
                    scan_rows(&read[..len], &mut written[..len], size, f);
                    store(&written[..len], to.get().wrapping_add(at));
                }
            }
        });
    } else {
        let bands = inner.div_ceil(COLUMNS);
        parallel::for_ranges(outer * bands, size * inner.min(COLUMNS) * 2, &|range| {
            let mut tile = Buffer::new(TILE * size_of::<E>());
            let tile: &mut [E] = tile.as_mut_slice().expect("a new buffer is unique");
            let mut last = [E::ZERO; COLUMNS];
            for index in range {
                let (first, column) = (index / bands * size * inner, index % bands * COLUMNS);
                let columns = COLUMNS.min(inner - column);
                let last = &mut last[..columns];
                // Whole rows lie one after the other.
                let together = if columns == inner { TILE / inner } else { 1 };
                for k in (0..size).step_by(together) {
                    let count = together.min(size - k);
                    let (tile, at) = (&mut tile[..count * columns], (first + k * inner + column) * width);
                    // SAFETY: the elements lie within both tensors, and each is written once.
                    unsafe {
                        load(from.get().wrapping_add(at), 1, tile);
                        scan_tile(tile, last, k == 0, f);
                        store(tile, to.get().wrapping_add(at));
                    }
                }
            }
        });
    }
}

/// Scans the columns of a tile, after what `last` holds unless this is the first one.
fn scan_tile<E: Number>(tile: &mut [E], last: &mut [E], first: bool, f: impl Fn(E, E) -> E) {
    if first {
        last.copy_from_slice(&tile[..last.len()]);
    }
    let start = if first { last.len() } else { 0 };
    if let [sum] = last {
        let mut carried = *sum;
        for x in &mut tile[start..] {
            carried = f(carried, *x);
            *x = carried;
        }
        *sum = carried;
        return;
    }
    for row in tile[start..].chunks_exact_mut(last.len()) {
        for (last, x) in last.iter_mut().zip(row) {
            *last = f(*last, *x);
            *x = *last;
        }
    }
}

/// Writes the running reduction of `xs`, `[outer, size, inner]`, along the middle dimension.
fn scan<E: Number>(op: CumulativeOp, xs: &[E], out: &mut [E], dims: [usize; 3]) {
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

    #[test]
    fn narrow_elements_give_what_wide_ones_do() {
        for dims in [[1, 9000, 1], [5, 3, 1], [900, 30, 1], [2, 5, 3], [1, 40, 700], [2, 3000, 2]] {
            let [outer, size, inner] = dims;
            let xs: Vec<i64> = (0..(outer * size * inner) as i64).map(|i| i * 7 % 11 - 5).collect();
            let mut expected = vec![0; xs.len()];
            scan(CumulativeOp::Sum, &xs, &mut expected, dims);
            let spec = burn_backend::TensorSpec::new(dims, DType::I16);
            let x = NdTensor::with::<i16>(spec, |out| {
                out.iter_mut().zip(&xs).for_each(|(out, &x)| *out = x as i16);
            });
            let found = cumulative(CumulativeOp::Sum, x, 1);
            assert!(found.slice::<i16>().iter().zip(&expected).all(|(&x, &y)| x == y as i16), "{dims:?}");
        }
    }
}
