//! Products of a row with the columns of a matrix, where the elements of a column lie together: the matrix
//! goes by once.

use crate::gemm::single_columns::rows_by_columns;
use crate::simd::{Lanes, with_lanes};

/// Columns that are read at the same time.
const TOGETHER: usize = 8;

/// A row and a matrix, with `depth` elements in the row and in each column.
#[derive(Clone, Copy)]
pub struct RowByColumns {
    pub row: *const f32,
    pub columns: *const f32,
    /// Elements from one column to the next.
    pub step: usize,
    pub count: usize,
    pub depth: usize,
    /// Results, side by side.
    pub out: *mut f32,
}

with_lanes! {
    /// Writes the products.
    ///
    /// # Safety
    /// The row and the columns may be read, and a result be written for each column.
    pub fn row_by_columns(args: &RowByColumns) = body
}

#[inline(always)]
unsafe fn body<V: Lanes, const R: usize, const N: usize>(args: &RowByColumns) {
    let whole = args.count - args.count % TOGETHER;
    // SAFETY: by the contract.
    unsafe {
        for first in (0..whole).step_by(TOGETHER) {
            products::<V, TOGETHER>(args, first);
        }
        for first in whole..args.count {
            products::<V, 1>(args, first);
        }
    }
}

/// Writes the products with `M` columns, from column `first` on.
///
/// # Safety
/// As for [`row_by_columns`], and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn products<V: Lanes, const M: usize>(args: &RowByColumns, first: usize) {
    let RowByColumns { row, columns, step, depth, out, .. } = *args;
    // SAFETY: by the contract.
    unsafe {
        let [sums] = rows_by_columns::<V, M, 1>(columns.add(first * step), step, depth, row);
        for m in 0..M {
            *out.add(first + m) = sums[m];
        }
    }
}
