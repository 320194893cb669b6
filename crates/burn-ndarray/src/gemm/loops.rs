//! Products by loops: of integers, and of all numbers where there is no `std`.

use crate::elements::number::Number;
use crate::gemm::matrix::{Matrix, Sizes};
use crate::gemm::product::{AddRows, Product};

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
loops!(f32);
// Where arithmetic of `f64` is left out, traits of families ask for its products and nothing calls them.
#[cfg(not(all(feature = "std", feature = "dtypes")))]
loops!(f64);

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
