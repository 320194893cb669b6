//! Factorisations and systems of equations: a cube factors some columns of a matrix, and products are taken
//! from the rest of it. Nothing is read: what has no result is NaN (decision 9).

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
mod lu;
mod panel;
mod pivots;
mod products;
mod qr;
mod reflection_words;
mod reflectors;
mod registers;
mod rows;
mod svd;
mod symmetric;
mod system;
mod tile;
mod triangular;
mod working;

pub use cholesky::cholesky;
pub use eigh::eigh;
pub use lu::lu;
pub use qr::qr;
pub use svd::svd;
pub use system::{solve, solve_triangular};
pub use working::wide;
