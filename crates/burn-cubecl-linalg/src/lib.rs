//! Linear algebra of every GPU: factorizations and systems of equations, over the products, sorts and
//! reductions of `burn-cubecl`.
//!
//! A cube factors some columns of a matrix, and products are taken from the rest of it. The host reads no
//! values: matrices without a result get NaN (decision 9). The crate of a runtime gives
//! [`LinearAlgebraKernels`] to the engines of its devices (decision 68).
#![deny(clippy::wildcard_enum_match_arm)]
// See `burn-cubecl`: `cube` knows neither `+=` on borrowed sizes nor `div_ceil`.
#![allow(clippy::assign_op_pattern, clippy::identity_op, clippy::manual_div_ceil)]

mod block_jacobi;
mod blocks;
mod cholesky;
mod column;
mod eigh;
mod epsilon;
mod equations;
mod exchange;
mod identity;
mod jacobi;
mod jacobi_sweeps;
mod kernels;
mod lu;
mod panel;
mod pivots;
mod products;
mod qr;
mod reflection_words;
mod reflectors;
mod registers;
mod rows;
mod small_rows;
mod small_symmetric;
mod svd;
mod symmetric;
mod system;
mod tile;
mod triangular;
mod working;

pub use kernels::LinearAlgebraKernels;
