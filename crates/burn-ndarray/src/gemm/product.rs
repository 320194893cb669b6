//! The matrix product under everything.

use crate::gemm::matrix::{Matrix, Sizes};
use crate::memory::Buffer;

/// Rows of the matrix that are read together.
pub const STREAMS: usize = 8;
/// `out += xs[0] ys[0] + xs[1] ys[1] + ..`.
pub type AddRows<E> = fn(&mut [E], [E; STREAMS], [&[E]; STREAMS]);

/// Writes the products of a row with columns: their number and that of their elements, the results, the row,
/// and the matrix. Elements of the row and of each column are neighbours.
pub type Dots<E> = unsafe fn((usize, usize), *mut E, *const E, Matrix<*const E>);

/// An element of matrices.
pub trait Product: Copy + Default + Send + Sync {
    /// How rows are added up, where products of a few rows have loops of their own.
    const ADD_ROWS: Option<AddRows<Self>>;
    /// How a row is multiplied with columns that lie together, if not by [`Product::product`].
    const DOTS: Option<Dots<Self>> = None;

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

    /// `out = lhs * rhs` where `matrix`, which holds `rhs`, may keep a form of it for the next product:
    /// whether it was computed.
    ///
    /// # Safety
    /// As for [`Product::product`].
    unsafe fn packed(
        _sizes: Sizes,
        _out: Matrix<*mut Self>,
        _lhs: Matrix<*const Self>,
        _rhs: Matrix<*const Self>,
        _matrix: &Buffer,
    ) -> bool {
        false
    }
}
