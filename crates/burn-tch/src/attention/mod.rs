//! Scaled dot-product attention: LibTorch's kernels without a matrix of scores, else a composition.

mod cuda;
mod kernel;
mod operands;
mod operation;

pub use operation::{attention, attention_grad};
