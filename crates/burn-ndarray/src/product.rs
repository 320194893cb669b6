//! The matrix product under everything: `gemm` for floats, loops for integers and where there is no `std`.

use crate::number::Number;
use crate::skinny::AddRows;
#[cfg(feature = "std")]
use crate::skinny::{add_rows_f32, add_rows_f64};

/// A matrix somewhere in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<P> {
    pub start: P,
    /// Elements from one row to the next.
    pub row_step: isize,
    pub col_step: isize,
}

impl<P> Matrix<P> {
    pub fn new(start: P, row_step: usize, col_step: usize) -> Self {
        Matrix { start, row_step: row_step as isize, col_step: col_step as isize }
    }
}

impl<P: Copy> Matrix<P> {
    /// Rows for columns.
    pub fn turned(self) -> Self {
        Matrix { start: self.start, row_step: self.col_step, col_step: self.row_step }
    }
}

/// Rows of the result, columns of the result, and the dimension between.
pub type Sizes = (usize, usize, usize);

/// An element of matrices.
pub trait Product: Copy + Default + Send + Sync {
    /// How rows are added up, where products of a few rows have loops of their own.
    const ADD_ROWS: Option<AddRows<Self>>;

    /// `out = lhs * rhs`, or `out += lhs * rhs`.
    ///
    /// # Safety
    /// The elements of the three matrices may be read, those of `out` written; nothing else touches `out`.
    unsafe fn product(
        sizes: Sizes,
        out: Matrix<*mut Self>,
        accumulate: bool,
        lhs: Matrix<*const Self>,
        rhs: Matrix<*const Self>,
        parallel: bool,
    );
}

#[cfg(feature = "std")]
macro_rules! floats {
    ($($ty:ty, $one:expr, $add_rows:expr;)*) => {$(
        impl Product for $ty {
            const ADD_ROWS: Option<AddRows<Self>> = $add_rows;

            unsafe fn product(
                (rows, cols, depth): Sizes,
                out: Matrix<*mut Self>,
                accumulate: bool,
                lhs: Matrix<*const Self>,
                rhs: Matrix<*const Self>,
                parallel: bool,
            ) {
                let threads = if parallel { gemm::Parallelism::Rayon(0) } else { gemm::Parallelism::None };
                // SAFETY: by the contract.
                unsafe {
                    gemm::gemm(
                        rows, cols, depth, out.start, out.col_step, out.row_step, accumulate,
                        lhs.start, lhs.col_step, lhs.row_step, rhs.start, rhs.col_step, rhs.row_step,
                        $one, $one, false, false, false, threads,
                    );
                }
            }
        }
    )*};
}
#[cfg(feature = "std")]
floats! {
    f64, 1.0, Some(add_rows_f64);
    f32, 1.0, Some(add_rows_f32);
    burn_backend::f16, burn_backend::f16::ONE, None;
}

macro_rules! loops {
    ($($ty:ty)*) => {$(
        impl Product for $ty {
            const ADD_ROWS: Option<AddRows<Self>> = None;

            unsafe fn product(
                sizes: Sizes,
                out: Matrix<*mut Self>,
                accumulate: bool,
                lhs: Matrix<*const Self>,
                rhs: Matrix<*const Self>,
                _parallel: bool,
            ) {
                // SAFETY: by the contract.
                unsafe { plain(sizes, out, accumulate, lhs, rhs) };
            }
        }
    )*};
}
loops!(i64 u64);
#[cfg(not(feature = "std"))]
loops!(f64 f32);

/// The product in the order in which rows of `rhs` and of `out` are read.
///
/// # Safety
/// As for [`Product::product`].
unsafe fn plain<E: Number>(
    (rows, cols, depth): Sizes,
    out: Matrix<*mut E>,
    accumulate: bool,
    lhs: Matrix<*const E>,
    rhs: Matrix<*const E>,
) {
    let at = |row: usize, row_step: isize, col: usize, col_step: isize| {
        row as isize * row_step + col as isize * col_step
    };
    for i in 0..rows {
        let out_at = |j| out.start.wrapping_offset(at(i, out.row_step, j, out.col_step));
        // SAFETY: all indices are below the sizes of the matrices.
        unsafe {
            if !accumulate {
                (0..cols).for_each(|j| out_at(j).write(E::ZERO));
            }
            for k in 0..depth {
                let x = lhs.start.wrapping_offset(at(i, lhs.row_step, k, lhs.col_step)).read();
                for j in 0..cols {
                    let y = rhs.start.wrapping_offset(at(k, rhs.row_step, j, rhs.col_step)).read();
                    out_at(j).write(out_at(j).read().plus(x.times(y)));
                }
            }
        }
    }
}
