//! Reference values of PyTorch, in float64. The scripts that write them are named in each file.

pub mod func;
pub mod linalg;
pub mod signal;
pub mod spatial;
mod values;

pub use values::*;
