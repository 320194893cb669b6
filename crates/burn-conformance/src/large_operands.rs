//! Operands of large calls.

use burn_backend::{DType, Shape, Slice, Slices, TensorSpec};

/// Number of rows of a matrix whose bytes are almost a power of two, as the blocks of allocators are.
pub(crate) const ROWS: usize = 512;
/// Number of columns of that matrix.
pub(crate) const COLS: usize = 511;

pub(crate) fn spec(shape: impl Into<Shape>, dtype: DType) -> TensorSpec {
    TensorSpec::new(shape, dtype)
}

/// A matrix of [`ROWS`] and [`COLS`].
pub(crate) fn matrix(dtype: DType) -> TensorSpec {
    spec([ROWS, COLS], dtype)
}

/// The first half of the rows of that matrix.
pub(crate) fn half_of_rows() -> Slices {
    [Slice::from(0..ROWS / 2)].into_iter().collect()
}
