//! Sums of products, named by letters.

mod call;
mod contract;
mod equation;
mod operands;

pub use call::{einsum, try_einsum};
pub use operands::EinsumOperands;
