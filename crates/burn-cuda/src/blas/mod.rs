//! Matrix products by cuBLASLt: its algorithms are named by its own heuristic, once for each kind of product.

mod algorithm;
mod candidates;
mod library;
mod plan;
mod product;
mod status;
mod tf32;

pub use library::Blas;
pub use plan::WORKSPACE;
pub use product::{Activation, DeviceRange, Matrices, Product};
pub use tf32::{allow_tf32, is_tf32_allowed};
