//! Builders of calls of operators: recorded into a program, or executed at once.

mod align;
mod branch;
mod call;
mod repeat;
mod values;

#[cfg(feature = "run")]
pub(crate) use call::Constants;
pub(crate) use call::UNKNOWN;
pub use call::{Block, Builder, Statement};
pub use repeat::{Collected, Iteration, Loop};
