//! Elementwise operations: each one, and each fused block of them, is a program that becomes one kernel. A block that folds rows is
//! one too.

mod corrected;
mod elements;
mod frame;
mod fused;
mod half;
mod head;
mod length;
mod number;
mod order;
mod passes;
mod program;
mod rows;
mod step;
mod tail;
mod vector;
mod wide;

pub use corrected::quotient;
pub use half::{brain_below, half_below};
pub use head::{block_by, run_block};
pub use number::float_round;
pub use program::Program;
pub use step::{Steps, Value};
pub use tail::{Own, Reading, Tail};
pub use vector::{Inner, places, sizes, width};
