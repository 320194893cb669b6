//! Products that read their factors as they lie. To pack a matrix is to read and write it once more, which
//! pays only where the second cache does not hold both factors.

use crate::gemm::epilogue::RowsEpilogue;
use crate::gemm::gathered_columns::GatheredColumns;
use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::single_columns::rows_by_columns;
use crate::miri::shrink;
use crate::simd::{Lanes, prefetch, with_lanes};
use core::ops::Range;

/// Elements of the right factor and of the left one, and rows, up to which both stay in the second cache
/// meanwhile.
const RIGHT: usize = shrink(1 << 19, 1 << 12);
const LEFT: usize = shrink(1 << 17, 1 << 11);
const ROWS: usize = shrink(512, 32);

/// Depth, and columns of the result, up to which packing does not pay for any number of rows: each element of
/// a packed matrix is used a few times only.
const SHALLOW: usize = shrink(128, 64);
const NARROW: usize = shrink(384, 64);
/// Elements of rows of the left factor that go through all panels before the next ones do.
const TOGETHER: usize = shrink(1 << 12, 1 << 7);

/// A product, and whether it is added to what is there.
#[derive(Clone, Copy)]
pub struct Panels<'a> {
    pub sizes: Sizes,
    pub out: Matrix<*mut f32>,
    pub accumulate: bool,
    /// Epilogue of the rows of the result. Without a residual where results are added.
    pub epilogue: RowsEpilogue,
    pub lhs: Matrix<*const f32>,
    pub rhs: Matrix<*const f32>,
    /// Columns after the last vector, which are multiplied one by one. Not where results are added, or where
    /// rows of the left factor are not contiguous.
    pub singles: Option<&'a GatheredColumns>,
}

/// Elements of the right factor that stay in the first cache while all rows of the left one are multiplied
/// with them: results of many columns lie side by side, and are written faster than those of few.
const CHUNK: usize = shrink(1 << 13, 1 << 7);

/// Whether products of these sizes are faster so than packed.
pub fn fits((rows, cols, depth): Sizes) -> bool {
    cols >= 16 && depth * cols <= RIGHT && rows * depth <= LEFT && rows <= ROWS
}

/// As [`fits`], whatever the number of rows.
fn is_shallow(cols: usize, depth: usize) -> bool {
    (16..=NARROW).contains(&cols) && (1..=SHALLOW).contains(&depth)
}

fn suits(sizes: Sizes, out: Matrix<*mut f32>, rhs: Matrix<*const f32>) -> bool {
    let (_, cols, depth) = sizes;
    out.col_step == 1 && rhs.col_step == 1 && (is_shallow(cols, depth) || fits(sizes))
}

/// Writes the product, or adds it, if it is of a size for which this is the fastest way: whether it is.
///
/// # Safety
/// As for [`crate::gemm::product::Product::product`].
pub unsafe fn product(
    sizes: Sizes,
    out: Matrix<*mut f32>,
    accumulate: bool,
    lhs: Matrix<*const f32>,
    rhs: Matrix<*const f32>,
) -> bool {
    if !suits(sizes, out, rhs) {
        return false;
    }
    let (rows, cols, depth) = sizes;
    let together = if fits(sizes) { rows.max(1) } else { (TOGETHER / depth).clamp(32, ROWS) };
    for row in (0..rows).step_by(together) {
        let sizes = (together.min(rows - row), cols, depth);
        let out = Matrix { start: out.start.wrapping_offset(row as isize * out.row_step), ..out };
        let lhs = Matrix { start: lhs.start.wrapping_offset(row as isize * lhs.row_step), ..lhs };
        // SAFETY: by the contract: some rows of it.
        unsafe {
            let epilogue = RowsEpilogue::default();
            panels(&Panels { sizes, out, accumulate, epilogue, lhs, rhs, singles: None })
        };
    }
    true
}

with_lanes! {
    /// Computes a product by panels of columns of the right factor.
    ///
    /// # Safety
    /// The matrices may be read and written, and each result has its operands of the epilogue; `out` and
    /// `rhs` have contiguous rows.
    pub fn panels(args: &Panels<'_>) = body
}

/// # Safety
/// The matrices may be read and written, and the machine has the instructions of `V`; so in all functions
/// below.
#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &Panels<'_>) {
    let (_, cols, depth) = args.sizes;
    let left = cols % V::LANES;
    let singles = args.singles.filter(|_| left > 0 && left * 2 <= V::LANES && depth >= 4 * V::LANES);
    let end = if singles.is_some() { cols - left } else { cols };
    let together = (CHUNK / depth.max(1) / (N * V::LANES)).max(1) * N * V::LANES;
    // SAFETY: by the contract; there is room for half a vector of columns.
    unsafe {
        let mut cols = 0..together.min(end);
        loop {
            let is_last = cols.end == end;
            let singles = singles.filter(|_| is_last).map(|room| room.get(|room| gather(args, end, room)));
            chunk::<V, R, N>(args, cols.clone(), singles);
            if is_last {
                break;
            }
            cols = cols.end..end.min(cols.end + together);
        }
    }
}

/// The results in some columns, row of tiles by row of tiles, and those in single columns after them.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn chunk<V: Lanes, const R: usize, const N: usize>(
    args: &Panels<'_>,
    cols: Range<usize>,
    singles: Option<*const f32>,
) {
    let (rows, _, _) = args.sizes;
    let mut row = 0;
    // SAFETY: by the contract.
    unsafe {
        while row < rows {
            row += match rows - row {
                left if left >= R => row_of_tiles::<V, R, N>(args, row, cols.clone(), singles),
                4.. => row_of_tiles::<V, 4, N>(args, row, cols.clone(), singles),
                2.. => row_of_tiles::<V, 2, N>(args, row, cols.clone(), singles),
                _ => row_of_tiles::<V, 1, N>(args, row, cols.clone(), singles),
            };
        }
    }
}

/// The results of `M` rows in some columns.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn row_of_tiles<V: Lanes, const M: usize, const N: usize>(
    args: &Panels<'_>,
    row: usize,
    cols: Range<usize>,
    singles: Option<*const f32>,
) -> usize {
    let mut col = cols.start;
    // SAFETY: by the contract.
    unsafe {
        while col + N * V::LANES <= cols.end {
            tile::<V, M, N>(args, row, col, V::LANES);
            col += N * V::LANES;
        }
        while col < cols.end {
            tile::<V, M, 1>(args, row, col, V::LANES.min(cols.end - col));
            col += V::LANES;
        }
        // The rows of the left factor are in the first cache still.
        if let Some(columns) = singles {
            let (_, all, depth) = args.sizes;
            let mut col = cols.end;
            while col + 2 <= all {
                single::<V, M, 2>(args, row, col, columns.wrapping_add((col - cols.end) * depth));
                col += 2;
            }
            if col < all {
                single::<V, M, 1>(args, row, col, columns.wrapping_add((col - cols.end) * depth));
            }
        }
    }
    M
}

/// Copies the columns of the right factor from `first` on, each of them together.
///
/// # Safety
/// See [`body`]; `room` is as described.
#[inline(always)]
unsafe fn gather(args: &Panels<'_>, first: usize, room: *mut f32) {
    let (_, cols, depth) = args.sizes;
    for k in 0..depth {
        let from = args.rhs.start.wrapping_offset(k as isize * args.rhs.row_step).wrapping_add(first);
        // SAFETY: by the contract.
        (0..cols - first).for_each(|n| unsafe { *room.add(n * depth + k) = *from.add(n) });
    }
}

/// `M` results of each of `C` columns.
///
/// # Safety
/// See [`body`]; rows of the left factor are contiguous, and `columns` holds the columns.
#[inline(always)]
unsafe fn single<V: Lanes, const M: usize, const C: usize>(
    args: &Panels<'_>,
    row: usize,
    col: usize,
    columns: *const f32,
) {
    let (Panels { out, epilogue, lhs, .. }, (_, _, depth)) = (*args, args.sizes);
    // SAFETY: by the contract.
    unsafe {
        let rows = lhs.start.wrapping_offset(row as isize * lhs.row_step);
        let sums = rows_by_columns::<V, M, C>(rows, lhs.row_step as usize, depth, columns);
        for m in 0..M {
            for c in 0..C {
                let at = (row + m) * out.row_step as usize + col + c;
                *out.start.wrapping_add(at) = epilogue.apply_one(sums[c][m], row + m, at);
            }
        }
    }
}

/// The results in columns `col..`: `N` vectors, `count` elements of the last one.
///
/// # Safety
/// See [`body`].
#[inline(always)]
pub unsafe fn panel<V: Lanes, const R: usize, const N: usize>(args: &Panels<'_>, col: usize, count: usize) {
    let (rows, _, _) = args.sizes;
    let mut row = 0;
    // SAFETY: by the contract.
    unsafe {
        while row + R <= rows {
            tile::<V, R, N>(args, row, col, count);
            row += R;
        }
        if row + 4 <= rows {
            tile::<V, 4, N>(args, row, col, count);
            row += 4;
        }
        if row + 2 <= rows {
            tile::<V, 2, N>(args, row, col, count);
            row += 2;
        }
        if row < rows {
            tile::<V, 1, N>(args, row, col, count);
        }
    }
}

/// `M` rows of `N` vectors of results, in registers.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn tile<V: Lanes, const M: usize, const N: usize>(
    args: &Panels<'_>,
    row: usize,
    col: usize,
    count: usize,
) {
    let Panels { out, accumulate, epilogue, .. } = *args;
    // SAFETY: by the contract: rows, columns and depth lie within the matrices, and only the last vector is
    // not whole.
    unsafe {
        let mut sums = epilogue.bias_tile::<V, M, N>(row);
        let at = (row as isize * out.row_step).wrapping_add(col as isize) as usize;
        epilogue.prefetch_residual::<V, M, N>(at, out.row_step as usize);
        sums = plus_products::<V, M, N>(args, row, col, count, sums);
        if let Some(residual) = epilogue.residual {
            for m in 0..M {
                let at = (row + m) as isize * out.row_step;
                let residual = residual.wrapping_offset(at).wrapping_add(col);
                for n in 0..N {
                    sums[m][n] = sums[m][n].plus(load::<V, N>(residual.wrapping_add(n * V::LANES), count));
                }
            }
        }
        sums = epilogue.bound(sums);
        for m in 0..M {
            let start = out.start.wrapping_offset((row + m) as isize * out.row_step).wrapping_add(col);
            for n in 0..N {
                let at = start.wrapping_add(n * V::LANES);
                let sum = if accumulate { load::<V, N>(at, count).plus(sums[m][n]) } else { sums[m][n] };
                if N == 1 && count < V::LANES { sum.store_first(at, count) } else { sum.store(at) }
            }
        }
    }
}

/// Adds the products of a tile to its sums.
///
/// # Safety
/// See [`body`].
#[inline(always)]
unsafe fn plus_products<V: Lanes, const M: usize, const N: usize>(
    args: &Panels<'_>,
    row: usize,
    col: usize,
    count: usize,
    mut sums: [[V; N]; M],
) -> [[V; N]; M] {
    let Panels { sizes: (_, _, depth), lhs, rhs, .. } = *args;
    let mut x = lhs.start.wrapping_offset(row as isize * lhs.row_step);
    let mut y = rhs.start.wrapping_add(col);
    // The first panel reads the rows of the left factor for the first time: the next ones are asked for
    // meanwhile.
    let is_first = col == 0 && lhs.col_step == 1 && lhs.row_step == depth as isize;
    // SAFETY: by the contract.
    unsafe {
        let mut done = 0;
        if const { V::UNROLLED > 1 } && lhs.col_step == 1 {
            let mut xs = [x; M];
            for m in 0..M {
                xs[m] = x.wrapping_offset(m as isize * lhs.row_step);
            }
            while done + V::UNROLLED <= depth {
                for k in 0..V::UNROLLED {
                    sums = plus_column::<V, M, N>(xs, k, load_row::<V, N>(y, count), sums);
                    y = y.wrapping_offset(rhs.row_step);
                }
                for m in 0..M {
                    xs[m] = xs[m].add(V::UNROLLED);
                }
                done += V::UNROLLED;
            }
            x = xs[0];
        }
        for k in done..depth {
            if is_first {
                prefetch(x.wrapping_add(M * depth + k * (M - 1)).cast());
            }
            let ys = load_row::<V, N>(y, count);
            for m in 0..M {
                let x = V::splat(*x.wrapping_offset(m as isize * lhs.row_step));
                for n in 0..N {
                    sums[m][n] = x.times_plus(ys[n], sums[m][n]);
                }
            }
            x = x.wrapping_offset(lhs.col_step);
            y = y.wrapping_offset(rhs.row_step);
        }
    }
    sums
}

/// Adds the products of element `k` of each row with vectors.
///
/// # Safety
/// These elements may be read, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn plus_column<V: Lanes, const M: usize, const N: usize>(
    rows: [*const f32; M],
    k: usize,
    ys: [V; N],
    mut sums: [[V; N]; M],
) -> [[V; N]; M] {
    for m in 0..M {
        // SAFETY: by the contract.
        unsafe {
            let x = V::splat(*rows[m].add(k));
            for n in 0..N {
                sums[m][n] = x.times_plus(ys[n], sums[m][n]);
            }
        }
    }
    sums
}

/// `N` vectors of a row of the right factor, `count` elements of the last one.
///
/// # Safety
/// They may be read, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn load_row<V: Lanes, const N: usize>(from: *const f32, count: usize) -> [V; N] {
    // SAFETY: by the contract.
    unsafe {
        let mut vectors = [V::splat(0.0); N];
        for n in 0..N {
            vectors[n] = load::<V, N>(from.add(n * V::LANES), count);
        }
        vectors
    }
}

/// A vector, or its first elements where it is a panel of its own.
///
/// # Safety
/// `count` elements may be read, or all for panels of several vectors.
#[inline(always)]
pub unsafe fn load<V: Lanes, const N: usize>(from: *const f32, count: usize) -> V {
    // SAFETY: by the contract.
    unsafe { if N == 1 { V::load_first(from, count) } else { V::load(from) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Small whole numbers, whose products and sums are exact.
    fn numbers(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 7 + seed) % 11) as f32 - 5.0).collect()
    }

    /// The product in f64, by its definition, and what surrounds the result stays.
    fn check(sizes: Sizes, turned: bool, accumulate: bool) {
        let ((rows, cols, depth), margin) = (sizes, 5);
        let (x, y) = (numbers(rows * depth, 1), numbers(depth * (cols + margin), 2));
        let mut out = numbers(rows * (cols + margin), 3);
        let before = out.clone();
        let lhs = match turned {
            true => Matrix { start: x.as_ptr(), row_step: 1, col_step: rows as isize },
            false => Matrix::new(x.as_ptr(), depth, 1),
        };
        let rhs = Matrix::new(y.as_ptr(), cols + margin, 1);
        let target = Matrix::new(out.as_mut_ptr(), cols + margin, 1);
        // SAFETY: the matrices lie within the vectors.
        assert!(unsafe { product(sizes, target, accumulate, lhs, rhs) }, "{sizes:?}");
        for row in 0..rows {
            for col in 0..cols + margin {
                let at = row * (cols + margin) + col;
                let x = |k| f64::from(if turned { x[k * rows + row] } else { x[row * depth + k] });
                let sum: f64 = (0..depth).map(|k| x(k) * f64::from(y[k * (cols + margin) + col])).sum();
                let found = f64::from(out[at]);
                let old = f64::from(before[at]);
                let wanted = if col >= cols {
                    old
                } else if accumulate {
                    old + sum
                } else {
                    sum
                };
                assert!(found == wanted, "{sizes:?}, row {row}, column {col}: {found}, not {wanted}");
            }
        }
    }

    #[test]
    fn tiles_and_what_is_left_of_them_give_the_product() {
        for &rows in shrink(&[1, 3, 4, 7, 8, 13, 24][..], &[3, 11]) {
            for &cols in shrink(&[16, 17, 31, 48, 49, 96, 131][..], &[16, 23]) {
                let depths = shrink([1, 37, 64], [1, 9, 12]).into_iter();
                for (depth, (turned, accumulate)) in
                    depths.zip([(false, true), (true, false), (false, false)])
                {
                    check((rows, cols, depth), turned, accumulate);
                }
            }
        }
    }

    #[test]
    fn shallow_products_of_many_rows_go_some_rows_at_a_time() {
        for sizes in
            shrink([(1030, 40, 9), (700, 384, 16), (515, 17, 128)], [(35, 17, 9), (70, 16, 1), (33, 20, 3)])
        {
            check(sizes, false, false);
            check(sizes, true, true);
        }
    }

    #[test]
    fn large_factors_and_columns_apart_are_left_to_others() {
        let at = Matrix::new(core::ptr::null::<f32>(), 64, 1);
        let out = Matrix::new(core::ptr::null_mut::<f32>(), 64, 1);
        assert!(suits((8, 64, 64), out, at));
        assert!(!suits((8, 64, 64), out, at.turned()));
        assert!(!suits((8, 64, 64), out.turned(), at));
        assert!(!suits((8, 1024, 1024), out, at));
        assert!(!suits((4096, 64, 160), out, at));
        assert!(suits((4096, 64, 64), out, at));
    }
}
