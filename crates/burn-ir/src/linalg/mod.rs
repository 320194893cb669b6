//! Factorisations of matrices and systems of equations, with their float64 definitions.

mod bilinear;
mod decompose;
mod factorization;
mod rows;
mod system;

#[cfg(feature = "test-operation")]
pub use bilinear::BilinearArgs;
pub use factorization::Factorization;
pub use system::{Triangle, lu_f64, solve_f64};
