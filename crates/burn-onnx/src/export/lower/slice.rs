//! Regular grids of elements, read and written.

use super::lowering::{Lowering, Size};
use crate::error::{Outcome, fail};
use crate::export::graph_writer::int;
use crate::export::size_expr::{Number, constant};
use burn_capture::Value;
use burn_ir::{Dims, Slices, TensorData};

/// The end of a dimension of any size.
const END: i64 = i64::MAX;

pub(super) fn flip(to: &mut Lowering<'_>, x: Value, axes: &Dims) -> String {
    let name = to.name(x);
    let axes: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
    let starts = to.writer.ints(&vec![-1; axes.len()]);
    let ends = to.writer.ints(&vec![i64::MIN; axes.len()]);
    let steps = to.writer.ints(&vec![-1; axes.len()]);
    let axes = to.writer.ints(&axes);
    to.op("Slice", [&name, &starts, &ends, &axes, &steps])
}

/// A dimension that is not whole in the slice.
struct SlicedDim {
    dim: usize,
    start: Number,
    end: Number,
    step: usize,
}

/// The dimensions that are not whole.
fn parts(to: &Lowering<'_>, x: Value, slices: &Slices) -> Vec<SlicedDim> {
    let numbers = to.numbers();
    let parts = slices.iter().enumerate().map(|(dim, slice)| SlicedDim {
        dim,
        start: numbers[2 * dim].clone(),
        end: numbers[2 * dim + 1].clone(),
        step: slice.step,
    });
    parts
        .filter(|part| part.step != 1 || constant(&part.start) != Some(0) || part.end != to.dim(x, part.dim))
        .collect()
}

pub(super) fn slice(to: &mut Lowering<'_>, x: Value, slices: &Slices) -> Outcome<String> {
    let name = to.name(x);
    let parts = parts(to, x, slices);
    if parts.is_empty() {
        return Ok(name);
    }
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for part in &parts {
        starts.push(to.size(&part.start, &[x])?);
        let to_end = part.end == to.dim(x, part.dim);
        ends.push(if to_end { Size::Known(END) } else { to.size(&part.end, &[x])? });
    }
    let (starts, ends) = (to.list(starts), to.list(ends));
    let axes: Vec<i64> = parts.iter().map(|part| part.dim as i64).collect();
    let axes = to.writer.ints(&axes);
    if parts.iter().all(|part| part.step == 1) {
        return Ok(to.op("Slice", [&name, &starts, &ends, &axes]));
    }
    let steps: Vec<i64> = parts.iter().map(|part| part.step as i64).collect();
    let steps = to.writer.ints(&steps);
    Ok(to.op("Slice", [&name, &starts, &ends, &axes, &steps]))
}

pub(super) fn assign(to: &mut Lowering<'_>, x: Value, slices: &Slices, value: Value) -> Outcome<String> {
    let (name, value) = (to.name(x), to.name(value));
    let parts = parts(to, x, slices);
    assign_parts(to, x, &name, &parts, &value)
}

/// `name`, which is as large as `x` in the dimensions of the parts, with `value` in them.
fn assign_parts(
    to: &mut Lowering<'_>,
    x: Value,
    name: &str,
    parts: &[SlicedDim],
    value: &str,
) -> Outcome<String> {
    let Some((part, rest)) = parts.split_first() else { return Ok(value.into()) };
    let axis = to.writer.ints(&[part.dim as i64]);
    let (start, end) = (to.size_value(&part.start, &[x])?, to.size_value(&part.end, &[x])?);
    let value = if rest.is_empty() {
        value.to_string()
    } else {
        let step = to.writer.ints(&[part.step as i64]);
        let inner = to.op("Slice", [name, &start, &end, &axis, &step]);
        assign_parts(to, x, &inner, rest, value)?
    };
    if part.step > 1 {
        return scattered(to, x, name, part, &value);
    }
    let (first, last) = (to.writer.ints(&[0]), to.writer.ints(&[END]));
    let mut pieces = Vec::new();
    if constant(&part.start) != Some(0) {
        pieces.push(to.op("Slice", [name, &first, &start, &axis]));
    }
    pieces.push(value);
    if part.end != to.dim(x, part.dim) {
        pieces.push(to.op("Slice", [name, &end, &last, &axis]));
    }
    if pieces.len() == 1 {
        return Ok(pieces.remove(0));
    }
    let pieces: Vec<&str> = pieces.iter().map(|piece| &piece[..]).collect();
    Ok(to.op_with("Concat", &pieces, vec![int("axis", part.dim as i64)]))
}

/// Every so many rows of a dimension, which goes to the front for that.
fn scattered(to: &mut Lowering<'_>, x: Value, name: &str, part: &SlicedDim, value: &str) -> Outcome<String> {
    let (Some(start), Some(end)) = (constant(&part.start), constant(&part.end)) else {
        fail!(
            "a slice with step {} that depends on the size of a dynamic dimension is not written",
            part.step
        );
    };
    let rows: Vec<i64> = (start..end).step_by(part.step).collect();
    let indices = to.writer.constant(TensorData::new(&rows[..], [rows.len(), 1]));
    let swap: Vec<usize> = (0..to.rank(x))
        .map(|dim| match dim {
            0 => part.dim,
            dim if dim == part.dim => 0,
            dim => dim,
        })
        .collect();
    let (front, value) =
        (to.transpose(name, swap.iter().copied()), to.transpose(value, swap.iter().copied()));
    let written = to.op("ScatterND", [&front, &indices, &value]);
    Ok(to.transpose(&written, swap))
}
