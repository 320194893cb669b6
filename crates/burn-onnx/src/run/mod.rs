//! Models that run without generated code, on any backend.

mod arguments;
mod dispatch;
mod erased;
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
pub use graph::Graph;
pub use input::RunValue;
pub(crate) use results::Results;
pub use test_data::read_value;
pub(crate) use transfer::{read, upload};

use crate::calls::{Definition, Operand};
use crate::error::{Outcome, Reason};
use burn_backend::dynamic::{DynamicDevice, DynamicTensor};
use burn_tensor::ops::try_in_operation;

/// Makes a call. An error of a kernel is a reason like any other.
pub(crate) fn execute(
    definition: &'static Definition,
    operands: Vec<Operand>,
    device: &DynamicDevice,
) -> Outcome<Vec<DynamicTensor>> {
    let arguments = Arguments::new(operands, device.clone());
    let mut results = Err(Reason::new("the call was not made"));
    let kernel = try_in_operation(definition.name, || {
        results = (definition.execute)(arguments);
        Ok(())
    });
    kernel?;
    results.map_err(|reason| Reason(format!("{}: {reason}", definition.name)))
}
