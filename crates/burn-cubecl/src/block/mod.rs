//! Elementwise operations: each one, and each fused block of them, is a program that becomes one kernel.

mod number;
mod program;
mod step;

pub use program::{Program, run_block};
pub use step::{Steps, Value};
