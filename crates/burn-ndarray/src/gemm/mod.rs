//! Matrix products: what fits a cache as it lies, packed panels, a few rows, single columns, and the epilogue
//! they store with.

#[cfg(feature = "std")]
mod bf16;
pub mod decoded_rows;
pub mod epilogue;
pub mod few_rows;
#[cfg(feature = "std")]
mod float_product;
#[cfg(feature = "std")]
pub mod gathered_columns;
#[cfg(feature = "std")]
pub mod half_rows;
#[cfg(feature = "std")]
pub mod in_cache;
mod loops;
pub mod matmul;
pub mod matrix;
#[cfg(feature = "std")]
pub mod packed;
pub mod product;
#[cfg(feature = "std")]
pub mod row_by_columns;
pub mod single_columns;
