//! Factorisations and systems of equations, over batches of matrices (decision 9).

mod batch;
mod cholesky;
mod eigh;
mod lu;
mod qr;
mod reflector;
mod rows;
mod svd;
mod triangular;

pub use batch::{factorize, lu, solve, solve_triangular};
