//! Elements and slices that indices name, read and written.

use super::lowering::Lowering;
use crate::export::graph_writer::{int, text};
use crate::proto::AttributeProto;
use burn_capture::Value;
use burn_ir::{DType, IndexUpdate};

/// Indices of 32 or 64 bits with a sign: ONNX has no others.
fn indices(to: &mut Lowering<'_>, value: Value) -> String {
    let (name, dtype) = (to.name(value), to.dtype(value));
    if dtype == DType::I32 { name } else { to.cast_from(name, dtype, DType::I64) }
}

fn reduction(update: IndexUpdate) -> AttributeProto {
    text(
        "reduction",
        match update {
            IndexUpdate::Assign => "none",
            IndexUpdate::Add => "add",
            IndexUpdate::Multiply => "mul",
            IndexUpdate::Min => "min",
            IndexUpdate::Max => "max",
        },
    )
}

pub(super) fn gather(to: &mut Lowering<'_>, x: Value, dim: usize, places: Value) -> String {
    let (name, places) = (to.name(x), indices(to, places));
    to.op_with("GatherElements", &[&name, &places], vec![int("axis", dim as i64)])
}

pub(super) fn scatter(
    to: &mut Lowering<'_>,
    x: Value,
    dim: usize,
    places: Value,
    value: Value,
    update: IndexUpdate,
) -> String {
    let (name, places, value) = (to.name(x), indices(to, places), to.name(value));
    let attributes = vec![int("axis", dim as i64), reduction(update)];
    to.op_with("ScatterElements", &[&name, &places, &value], attributes)
}

pub(super) fn select(to: &mut Lowering<'_>, x: Value, dim: usize, places: Value) -> String {
    let (name, places) = (to.name(x), indices(to, places));
    to.op_with("Gather", &[&name, &places], vec![int("axis", dim as i64)])
}

/// Writes whole slices: along the first dimension, to which the named one goes for that.
pub(super) fn select_assign(
    to: &mut Lowering<'_>,
    x: Value,
    dim: usize,
    places: Value,
    value: Value,
    update: IndexUpdate,
) -> String {
    let (mut name, mut value) = (to.name(x), to.name(value));
    let places = to.name(places);
    let places = to.cast(&places, DType::I64);
    let axis = to.writer.ints(&[1]);
    let places = to.op("Unsqueeze", [&places, &axis]);
    let mut swap: Vec<usize> = (0..to.rank(x)).collect();
    swap.swap(0, dim);
    if dim != 0 {
        (name, value) =
            (to.transpose(&name, swap.iter().copied()), to.transpose(&value, swap.iter().copied()));
    }
    let written = to.op_with("ScatterND", &[&name, &places, &value], vec![reduction(update)]);
    if dim == 0 { written } else { to.transpose(&written, swap) }
}
