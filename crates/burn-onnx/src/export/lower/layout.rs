//! Shapes: reshapes, broadcasts and copies.

use super::lowering::{Lowering, Size};
use crate::error::Outcome;
use crate::export::graph_writer::int;
use crate::export::size_expr::{Number, constant};
use burn_capture::Value;

/// Another shape. A size that keeps its dimension is written as 0, and one that follows from the others as
/// -1.
pub(super) fn reshape(to: &mut Lowering<'_>, x: Value, result: Value) -> Outcome<String> {
    let name = to.name(x);
    let numbers: Vec<Number> = (0..to.rank(result)).map(|dim| to.dim(result, dim)).collect();
    // A size of 0 has another meaning in the list, and nothing follows from it.
    let has_zero = numbers.iter().flatten().any(|&size| size == 0);
    if has_zero {
        let shape = to.sizes_value(&numbers, &[x])?;
        return Ok(to.op_with("Reshape", &[&name, &shape], vec![int("allowzero", 1)]));
    }
    let stays = |dim: usize| dim < to.rank(x) && to.dim(x, dim) == numbers[dim];
    let plain = |dim: usize| match constant(&numbers[dim]) {
        Some(size) => Some(size),
        None => stays(dim).then_some(0),
    };
    let open: Vec<usize> = (0..numbers.len()).filter(|&dim| plain(dim).is_none()).collect();
    if open.len() <= 1 {
        let sizes: Vec<i64> = (0..numbers.len()).map(|dim| plain(dim).unwrap_or(-1)).collect();
        return Ok(to.reshape(&name, &sizes));
    }
    // The one that cannot be computed, or else the last, follows from the others.
    let last = open[open.len() - 1];
    let follows =
        open.iter().copied().find(|&dim| to.trace.table.fit(&numbers[dim]).is_none()).unwrap_or(last);
    let plain: Vec<Option<i64>> = (0..numbers.len()).map(plain).collect();
    let mut sizes = Vec::with_capacity(numbers.len());
    for (dim, number) in numbers.iter().enumerate() {
        sizes.push(match plain[dim] {
            _ if dim == follows => Size::Known(-1),
            Some(size) => Size::Known(size),
            None => to.size(number, &[x])?,
        });
    }
    let shape = to.list(sizes);
    Ok(to.op("Reshape", [&name, &shape]))
}

pub(super) fn expand(to: &mut Lowering<'_>, x: Value, result: Value) -> Outcome<String> {
    let name = to.name(x);
    if to.shapes(x) == to.shapes(result) {
        return Ok(name);
    }
    let rank = to.rank(result);
    let extra = rank - to.rank(x);
    let mut sizes = Vec::with_capacity(rank);
    for dim in 0..rank {
        let number = to.dim(result, dim);
        // 1 leaves the size as it is.
        let stays = dim >= extra && to.dim(x, dim - extra) == number;
        sizes.push(if stays { Size::Known(1) } else { to.size(&number, &[x])? });
    }
    let shape = to.list(sizes);
    Ok(to.op("Expand", [&name, &shape]))
}

pub(super) fn cat(to: &mut Lowering<'_>, xs: &[Value], dim: usize) -> String {
    let names: Vec<String> = xs.iter().map(|&x| to.name(x)).collect();
    let names: Vec<&str> = names.iter().map(|name| &name[..]).collect();
    to.op_with("Concat", &names, vec![int("axis", dim as i64)])
}

pub(super) fn repeat(to: &mut Lowering<'_>, x: Value, dim: usize) -> Outcome<String> {
    let name = to.name(x);
    let rank = to.rank(x);
    let times = to.size(&to.numbers()[0], &[x])?;
    let mut repeats: Vec<Size> = (0..rank).map(|_| Size::Known(1)).collect();
    repeats[dim] = times;
    let repeats = to.list(repeats);
    Ok(to.op("Tile", [&name, &repeats]))
}
