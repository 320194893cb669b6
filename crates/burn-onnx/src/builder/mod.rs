//! Builders of calls of operators: recorded into a program, or executed at once.

mod align;
mod branch;
mod call;
mod repeat;
mod statement;
mod values;

pub use call::Builder;
#[cfg(feature = "run")]
pub(crate) use call::Constants;
pub(crate) use call::UNKNOWN;
pub use repeat::Iteration;
pub use statement::{Block, Collected, Loop, Statement};
