//! Models that run without generated code, on any backend.

mod arguments;
mod check_input;
mod dispatch;
mod erased;
mod erased_value;
mod execute;
mod graph;
#[cfg(test)]
mod graph_tests;
mod input;
mod plans;
mod results;
mod test_data;
mod transfer;

pub use arguments::Arguments;
pub(crate) use dispatch::{by_kind, by_rank, executor};
pub(crate) use erased::AnyRank;
pub(crate) use execute::execute;
pub use graph::Graph;
pub use input::RunValue;
use plans::Plans;
pub(crate) use results::Results;
pub use test_data::read_value;
pub(crate) use transfer::{read, upload};
