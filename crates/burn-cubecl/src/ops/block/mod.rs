//! Elementwise operations: each one, and each fused block of them, is a program that becomes one kernel. A
//! block that folds rows is one too.

mod corrected;
mod elements;
mod epilogue;
mod float64;
mod fused;
mod half;
mod kernel_size;
mod memory_order;
mod number;
mod passes;
mod program;
mod prologue;
mod row_access;
mod row_cache;
mod row_factor;
mod row_kernel;
mod row_launch;
mod rows;
mod step;
mod value;
mod vector;

pub use corrected::quotient;
pub use epilogue::{Own, Reading, Tail};
pub use half::{brain_below, half_below};
pub use number::float_round;
pub use program::{Program, read_scalars};
pub use prologue::{block_by, products_of_row, run_block};
pub use row_factor::RowFactor;
pub use row_kernel::RowKernel;
pub use step::Steps;
pub use value::KernelValue;
pub use vector::{Inner, places, sizes, width};
