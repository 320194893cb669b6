//! Orders along a dimension. `TopK` is stable, as sorting is here.

use super::lowering::Lowering;
use crate::error::Outcome;
use crate::export::graph_writer::int;
use burn_capture::Value;
use burn_ir::DType;

/// Values and indices of all elements in order.
pub(super) fn sort(to: &mut Lowering<'_>, x: Value, dim: usize, descending: bool) -> Outcome<Vec<String>> {
    let size = to.dim(x, dim);
    let count = to.size_value(&size, &[x])?;
    Ok(write(to, x, dim, descending, &count))
}

/// Values and indices of some elements in order.
pub(super) fn top(to: &mut Lowering<'_>, x: Value, dim: usize, largest: bool) -> Outcome<Vec<String>> {
    let count = to.size_value(&to.numbers()[0], &[x])?;
    Ok(write(to, x, dim, largest, &count))
}

fn write(to: &mut Lowering<'_>, x: Value, dim: usize, largest: bool, count: &str) -> Vec<String> {
    let name = to.name(x);
    let attributes = vec![int("axis", dim as i64), int("largest", largest.into()), int("sorted", 1)];
    to.writer.node_of("TopK", &[&name, count], attributes, 2)
}

/// The indices in another element type.
pub(super) fn with_index_type(to: &mut Lowering<'_>, mut names: Vec<String>, index: DType) -> Vec<String> {
    let places = names.remove(1);
    names.push(to.cast_from(places, DType::I64, index));
    names
}
