//! Models that run without generated code, on any backend.

mod arguments;
mod dispatch;
mod erased;
mod execute;
mod graph;
#[cfg(test)]
mod graph_tests;
mod input;
mod results;
mod test_data;
mod transfer;

pub use arguments::Arguments;
pub(crate) use dispatch::{by_kind, by_rank, executor};
pub(crate) use erased::AnyRank;
pub(crate) use execute::execute;
pub use graph::Graph;
pub use input::RunValue;
pub(crate) use results::Results;
pub use test_data::read_value;
pub(crate) use transfer::{read, upload};
