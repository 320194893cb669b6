//! Running reductions along a dimension. Narrow elements are widened a piece at a time: workspace is a copy
//! of a view, and 64 KiB a thread.

use crate::elements::arithmetic::Arithmetic;
use crate::elements::dtype::{wide, with_wide};
use crate::elements::load::Wide;
use crate::elements::number::Number;
use crate::kernels::layout::outer_size_inner;
use crate::memory::Buffer;
use crate::miri::shrink;
use crate::tensor::NdTensor;
use crate::threads::parallel::{self, Shared};
use burn_backend::{CumulativeOp, DType, HasSpec};
use core::slice;

/// Rows that are walked side by side: a sum waits for the one before it, the other rows do not.
const ROWS: usize = 4;
/// Columns that are carried along together.
const COLUMNS: usize = shrink(256, 32);

/// Elements that are widened together.
const TILE: usize = shrink(4096, 256);

/// Running reduction along `dim`.
pub fn cumulative(op: CumulativeOp, x: NdTensor, dim: usize) -> NdTensor {
    let dtype = x.spec().dtype;
    let x = x.into_contiguous();
    let dims = outer_size_inner(x.shape(), dim);
    let mut out = NdTensor::new(x.spec().clone());
    with_wide!("cumulative", wide(dtype), E => {
        if dtype == DType::F32 {
            scan_single(op, x.slice::<f32>(), out.make_mut::<f32>(), dims);
        } else if E::dtype() == dtype {
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
                    let f = Carried { widen: |x| x, join: f, round: |x| x };
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

/// [`scan`] of `f32`. Sums and products are carried on in `f64`, as PyTorch does on a processor: a running
/// sum of ones would end at 2^24, the rounding of each step add up along a long dimension, and a product that
/// overflows for a while stay infinite.
fn scan_single(op: CumulativeOp, xs: &[f32], out: &mut [f32], dims: [usize; 3]) {
    match op {
        CumulativeOp::Sum => {
            scan_carried(xs, out, dims, Carried { widen: f64::from, join: f64::plus, round })
        }
        CumulativeOp::Prod => {
            scan_carried(xs, out, dims, Carried { widen: f64::from, join: f64::times, round })
        }
        CumulativeOp::Max | CumulativeOp::Min => scan(op, xs, out, dims),
    }
}

fn round(x: f64) -> f32 {
    x as f32
}

/// How elements of `E` are joined to a value of `C` that is carried along the dimension, and how that is
/// written.
#[derive(Clone, Copy)]
struct Carried<W, J, R> {
    widen: W,
    join: J,
    round: R,
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

fn scan_with<E: Number>(xs: &[E], out: &mut [E], dims: [usize; 3], f: impl Fn(E, E) -> E + Sync + Copy) {
    scan_carried(xs, out, dims, Carried { widen: |x| x, join: f, round: |x| x });
}

fn scan_carried<E: Number, C: Number>(
    xs: &[E],
    out: &mut [E],
    [outer, size, inner]: [usize; 3],
    f: Carried<
        impl Fn(E) -> C + Sync + Copy,
        impl Fn(C, C) -> C + Sync + Copy,
        impl Fn(C) -> E + Sync + Copy,
    >,
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
fn scan_rows<E: Number, C: Number>(
    xs: &[E],
    out: &mut [E],
    size: usize,
    f: Carried<impl Fn(E) -> C, impl Fn(C, C) -> C, impl Fn(C) -> E>,
) {
    let Carried { widen, join, round } = f;
    let mut groups = xs.chunks_exact(size * ROWS);
    let mut outs = out.chunks_exact_mut(size * ROWS);
    for (xs, out) in (&mut groups).zip(&mut outs) {
        let xs: [&[E]; ROWS] = core::array::from_fn(|row| &xs[row * size..][..size]);
        let mut rows = out.chunks_exact_mut(size);
        let out: [&mut [E]; ROWS] = core::array::from_fn(|_| rows.next().expect("as many rows"));
        let mut last: [C; ROWS] = core::array::from_fn(|row| widen(xs[row][0]));
        for row in 0..ROWS {
            out[row][0] = xs[row][0];
        }
        for i in 1..size {
            for row in 0..ROWS {
                last[row] = join(last[row], widen(xs[row][i]));
                out[row][i] = round(last[row]);
            }
        }
    }
    let rest = groups.remainder().chunks_exact(size).zip(outs.into_remainder().chunks_exact_mut(size));
    for (xs, out) in rest {
        let mut last = widen(xs[0]);
        out[0] = xs[0];
        for (out, &x) in out[1..].iter_mut().zip(&xs[1..]) {
            last = join(last, widen(x));
            *out = round(last);
        }
    }
}

/// Scans `width` neighbouring columns whose elements lie `step` apart.
///
/// # Safety
/// The columns may be written, and nothing else does so.
unsafe fn scan_columns<E: Number, C: Number>(
    xs: &[E],
    out: *mut E,
    size: usize,
    step: usize,
    width: usize,
    f: Carried<impl Fn(E) -> C, impl Fn(C, C) -> C, impl Fn(C) -> E>,
) {
    let Carried { widen, join, round } = f;
    let mut last = [C::ZERO; COLUMNS];
    let last = &mut last[..width];
    for (last, &x) in last.iter_mut().zip(&xs[..width]) {
        *last = widen(x);
    }
    for k in 0..size {
        let xs = &xs[k * step..][..width];
        // SAFETY: by the contract.
        let out = unsafe { slice::from_raw_parts_mut(out.add(k * step), width) };
        if k > 0 {
            for i in 0..width {
                last[i] = join(last[i], widen(xs[i]));
            }
        }
        for (out, &last) in out.iter_mut().zip(last.iter()) {
            *out = round(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_of_the_dimension_gives_the_same_sums() {
        let [long, wide] = shrink([300, 700], [30, 70]);
        for dims in [[1, 7, 1], [5, 3, 1], [9, long, 1], [2, 5, 3], [1, 4, wide], [3, 1, 2], [2, 0, 3]] {
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
        for dims in shrink(
            [[1, 9000, 1], [5, 3, 1], [900, 30, 1], [2, 5, 3], [1, 40, 700], [2, 3000, 2]],
            [[1, 600, 1], [5, 3, 1], [60, 30, 1], [2, 5, 3], [1, 10, 70], [2, 300, 2]],
        ) {
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

    /// Numbers on which a sum in `f32` stays: 2^24 + 1 is no `f32`.
    #[test]
    fn sums_of_single_precision_do_not_stop_growing() {
        const LARGE: f32 = 16_777_216.0;
        for dims in [[1, 11, 1], [5, 11, 1], [1, 11, 3], [2, 11, shrink(300, 40)]] {
            let [outer, size, inner] = dims;
            let at = |index: usize| index / inner % size;
            let xs: Vec<f32> =
                (0..outer * size * inner).map(|index| if at(index) == 0 { LARGE } else { 1.0 }).collect();
            let spec = burn_backend::TensorSpec::new(dims, DType::F32);
            let x = NdTensor::with::<f32>(spec, |out| out.copy_from_slice(&xs));
            let found = cumulative(CumulativeOp::Sum, x, 1);
            for (index, &found) in found.slice::<f32>().iter().enumerate() {
                // Every second number above 2^24 is an `f32`, and ties go to the even one.
                let exact = f64::from(LARGE) + at(index) as f64;
                assert_eq!(found, exact as f32, "{dims:?} at {index}");
            }
        }
    }

    // Miri would take hours for so many additions.
    #[cfg(not(miri))]
    #[test]
    fn a_running_sum_of_ones_counts_beyond_the_integers_of_single_precision() {
        let count = (1 << 24) + 10;
        let spec = burn_backend::TensorSpec::new([count], DType::F32);
        let x = NdTensor::with::<f32>(spec, |out| out.fill(1.0));
        let found = cumulative(CumulativeOp::Sum, x, 0);
        assert_eq!(found.slice::<f32>()[count - 1], 16_777_226.0);
    }

    #[test]
    fn products_of_single_precision_return_from_beyond_its_range() {
        let spec = burn_backend::TensorSpec::new([5], DType::F32);
        let x = NdTensor::with::<f32>(spec, |out| out.copy_from_slice(&[1e30, 1e30, 1e-30, 1e-30, 3.0]));
        let found = cumulative(CumulativeOp::Prod, x, 0);
        let found = found.slice::<f32>();
        assert_eq!(found[1], f32::INFINITY);
        assert!((found[4] - 3.0).abs() < 1e-5, "{found:?}");
    }
}
