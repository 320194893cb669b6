//! Where operators put their calls: recorded into a program, or executed at once.

mod align;
mod call;
mod values;

pub(crate) use call::UNKNOWN;
pub use call::{Builder, Statement};
