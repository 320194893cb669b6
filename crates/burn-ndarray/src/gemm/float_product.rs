//! Products of floats: those of this crate for the sizes that suit them, and `gemm` for the others.

use crate::gemm::few_rows::{add_rows_f32, add_rows_f64, dots_f32};
use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::product::{AddRows, Dots, Product};
use crate::gemm::{in_cache, packed};
use crate::memory::{Buffer, Room};
use crate::threads::parallel::{self, Shared};

/// Elements that `gemm` packs at once: some of the depth of the right side, as far as the last cache holds
/// it, and of a part of the rows of the left side. They are not in buffers of ours.
fn gemm_room((rows, cols, depth): Sizes, width: usize) -> usize {
    const DEPTH: usize = 1024;
    const ROWS: usize = 1024;
    const CACHE_BYTES: usize = 32 << 20;
    let lines = rows.min(ROWS).saturating_add(cols).saturating_add(2 * 64);
    depth.min(DEPTH).saturating_mul(lines).min(CACHE_BYTES / width)
}

/// How threads share a product: each has rows or columns of the result.
#[derive(Clone, Copy, Debug)]
struct Cut {
    by_rows: bool,
    parts: usize,
    /// Cost of a part, in additions.
    cost: usize,
}

impl Cut {
    /// Rows or columns that are not cut: kernels take so many together.
    const TOGETHER: usize = 16;
    /// Multiplications in the time of one addition of cached numbers.
    const SPEED: usize = 8;

    /// None if one thread is done before a second one would have begun.
    fn new(rows: usize, cols: usize, depth: usize) -> Option<Self> {
        let (threads, work) = (parallel::threads(), rows * cols * depth);
        let longest = rows.max(cols);
        let parts = threads.min(longest / Self::TOGETHER);
        if threads == 1 || parts < 2 || parallel::is_small(parts, work / parts / Self::SPEED) {
            return None;
        }
        Some(Cut { by_rows: rows > cols, parts, cost: work / parts / Self::SPEED })
    }

    /// Where a part starts; none has fewer than `TOGETHER`, so that parts go the way that the whole product
    /// would go.
    fn start(self, part: usize, len: usize) -> usize {
        let start = part * len / self.parts;
        if part == self.parts { len } else { start - start % Self::TOGETHER }
    }
}

/// A product on several threads.
///
/// # Safety
/// As for [`Product::product`].
unsafe fn shared<E: Product>(
    (rows, cols, depth): Sizes,
    cut: Cut,
    out: Matrix<*mut E>,
    accumulate: bool,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
) {
    let starts = [Shared(out.start), Shared(lhs.start.cast_mut()), Shared(rhs.start.cast_mut())];
    let steps = [(out.row_step, out.col_step), (lhs.row_step, lhs.col_step), (rhs.row_step, rhs.col_step)];
    let place = |which: usize, row: usize, col: usize| {
        let (row_step, col_step) = steps[which];
        let at = row as isize * row_step + col as isize * col_step;
        Matrix { start: starts[which].get().wrapping_offset(at), row_step, col_step }
    };
    let read = |x: Matrix<*mut E>| Matrix {
        start: x.start.cast_const(),
        row_step: x.row_step,
        col_step: x.col_step,
    };
    let one_part = |part: usize| {
        let len = if cut.by_rows { rows } else { cols };
        let (first, last) = (cut.start(part, len), cut.start(part + 1, len));
        let (sizes, row, col) = if cut.by_rows {
            ((last - first, cols, depth), first, 0)
        } else {
            ((rows, last - first, depth), 0, first)
        };
        // SAFETY: by the contract; parts of the result do not overlap.
        unsafe {
            E::product(
                sizes,
                place(0, row, col),
                accumulate,
                read(place(1, row, 0)),
                read(place(2, 0, col)),
                false,
            )
        };
    };
    // Part by part: the sizes choose the kernel, and with it the order of the sums, which must not depend on
    // how many parts this thread takes while others are busy.
    parallel::for_ranges(cut.parts, cut.cost, &|parts| parts.for_each(one_part));
}

/// A product without packing, for sizes that suit it: whether it was computed.
type AsItLies<E> = unsafe fn(Sizes, Matrix<*mut E>, bool, Matrix<*const E>, Matrix<*const E>) -> bool;

/// As [`Product::packed`].
type Packed<E> = unsafe fn(Sizes, Matrix<*mut E>, Matrix<*const E>, Matrix<*const E>, &Buffer) -> bool;

/// The same product as the kernels of `gemm` want it: the columns of `out` are contiguous rather than its
/// rows, and the dimension that is summed over goes forward through `lhs`. `out` has positive strides.
fn for_gemm<E>(
    (rows, cols, depth): Sizes,
    out: Matrix<*mut E>,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
) -> (Sizes, Matrix<*mut E>, Matrix<*const E>, Matrix<*const E>) {
    let (sizes, out, mut lhs, mut rhs) = if out.col_step < out.row_step {
        ((cols, rows, depth), out.turned(), rhs.turned(), lhs.turned())
    } else {
        ((rows, cols, depth), out, lhs, rhs)
    };
    if lhs.col_step < 0 && depth > 0 {
        let last = depth as isize - 1;
        lhs.start = lhs.start.wrapping_offset(last * lhs.col_step);
        lhs.col_step = -lhs.col_step;
        rhs.start = rhs.start.wrapping_offset(last * rhs.row_step);
        rhs.row_step = -rhs.row_step;
    }
    (sizes, out, lhs, rhs)
}

macro_rules! floats {
    ($($ty:ty, $one:expr, $gemm:path, $add_rows:expr, $dots:expr, $as_it_lies:expr, $packed:expr;)*) => {$(
        impl Product for $ty {
            const ADD_ROWS: Option<AddRows<Self>> = $add_rows;
            const DOTS: Option<Dots<Self>> = $dots;

            unsafe fn product(
                (rows, cols, depth): Sizes,
                out: Matrix<*mut Self>,
                accumulate: bool,
                lhs: Matrix<*const Self>,
                rhs: Matrix<*const Self>,
                parallel: bool,
            ) {
                if parallel && let Some(cut) = Cut::new(rows, cols, depth) {
                    // SAFETY: by the contract.
                    return unsafe { shared((rows, cols, depth), cut, out, accumulate, lhs, rhs) };
                }
                let as_it_lies: Option<AsItLies<Self>> = $as_it_lies;
                if let Some(product) = as_it_lies
                    // SAFETY: by the contract.
                    && unsafe { product((rows, cols, depth), out, accumulate, lhs, rhs) }
                {
                    return;
                }
                let _room = Room::new::<$ty>(gemm_room((rows, cols, depth), size_of::<$ty>()));
                let ((rows, cols, depth), out, lhs, rhs) = for_gemm((rows, cols, depth), out, lhs, rhs);
                // SAFETY: by the contract.
                unsafe {
                    $gemm()(
                        rows, cols, depth, out.start, out.col_step, out.row_step, accumulate,
                        lhs.start, lhs.col_step, lhs.row_step, rhs.start, rhs.col_step, rhs.row_step,
                        $one, $one, false, false, false, gemm_common::Parallelism::None,
                    );
                }
            }

            unsafe fn packed(
                sizes: Sizes,
                out: Matrix<*mut Self>,
                lhs: Matrix<*const Self>,
                rhs: Matrix<*const Self>,
                matrix: &Buffer,
            ) -> bool {
                let packed: Option<Packed<Self>> = $packed;
                // SAFETY: by the contract.
                packed.is_some_and(|product| unsafe { product(sizes, out, lhs, rhs, matrix) })
            }
        }
    )*};
}
floats! {
    f32, 1.0, gemm_f32::gemm::f32::get_gemm_fn, Some(add_rows_f32), Some(dots_f32), Some(in_cache::product), Some(packed::product);
}
#[cfg(feature = "dtypes")]
floats! {
    f64, 1.0, gemm_f64::gemm::f64::get_gemm_fn, Some(add_rows_f64), None, None, None;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;

    #[test]
    fn no_part_is_narrow() {
        for len in 32..shrink(200, 80) {
            for parts in 2..=len / Cut::TOGETHER {
                let cut = Cut { by_rows: true, parts, cost: 1 };
                for part in 0..parts {
                    assert!(
                        cut.start(part + 1, len) >= cut.start(part, len) + Cut::TOGETHER,
                        "{len}, {parts}"
                    );
                }
                assert_eq!((cut.start(0, len), cut.start(parts, len)), (0, len));
            }
        }
    }

    #[test]
    fn parts_cover_rows_and_columns_once() {
        for &(rows, cols) in shrink(
            &[(5, 1000), (1000, 5), (333, 334), (64, 17), (2000, 2000)][..],
            &[(3, 130), (130, 3), (33, 34), (40, 17)],
        ) {
            let depth = shrink(64, 2);
            let lhs: Vec<f32> = (0..rows * depth).map(|i| (i % 7) as f32).collect();
            let rhs: Vec<f32> = (0..depth * cols).map(|i| (i % 5) as f32).collect();
            let mut out = vec![1.0_f32; rows * cols];
            let matrix = |start: &[f32], cols: usize| Matrix::new(start.as_ptr(), cols, 1);
            let (x, y) = (matrix(&lhs, depth), matrix(&rhs, cols));
            for parts in [2, 3, 8] {
                let cut = Cut { by_rows: rows > cols, parts, cost: 1 << 20 };
                // SAFETY: the matrices are those of the vectors.
                unsafe {
                    let out = Matrix::new(out.as_mut_ptr(), cols, 1);
                    f32::product((rows, cols, depth), out, false, x, y, false);
                    shared((rows, cols, depth), cut, out, true, x, y);
                }
                // All numbers are small and whole, so sums are exact.
                for (i, j) in [(0, 0), (rows - 1, cols - 1), (rows / 2, cols / 3), (rows / 3, cols / 2)] {
                    let sum: f32 = (0..depth).map(|k| lhs[i * depth + k] * rhs[k * cols + j]).sum();
                    assert_eq!(out[i * cols + j], 2.0 * sum, "{rows} {cols} {parts}: {i} {j}");
                }
                assert_eq!(out.iter().map(|&x| f64::from(x)).sum::<f64>() % 2.0, 0.0);
            }
        }
    }
}
