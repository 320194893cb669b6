//! Values written to indices. ScatterElements and ScatterND since version 11, Scatter 9 and
//! 10, TensorScatter since 24. Since 16 the values may be added or multiplied, since 18 the smaller or larger
//! ones kept.

use super::gather::{flat_indices, non_negative};
use super::iota::{along, iota};
use crate::builder::Builder;
use crate::calls::Range;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};
use burn_ir::DType;

/// `y[.., indices[.., i, ..], ..] = updates[.., i, ..]` along an axis.
pub(super) fn scatter_elements(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, values) = (node.tensor(b, 0)?, node.tensor(b, 2)?);
    let axis = node.axis(node.int("axis", 0)?, x.rank())?;
    let indices = non_negative(node, b, 1, &x.dim(axis)?)?;
    require!(indices.rank() == x.rank(), "indices {indices:?} differ in rank from {x:?}");
    // Along other axes the indices may name a part of the data.
    let mut ranges = Vec::new();
    for (d, (size, named)) in x.dims().iter().zip(indices.dims()).enumerate() {
        let whole = d == axis || size == named;
        ranges.push(if whole { Range::full() } else { Range::new(0, named.clone()) });
    }
    let whole = ranges.iter().all(|range| range.end.is_none());
    let target = if whole { x.clone() } else { b.slice(&x, &ranges)? };
    let y = match &node.text("reduction", "none")?[..] {
        "none" => b.scatter_assign(&target, axis, &indices, &values)?,
        "add" => b.scatter_add(&target, axis, &indices, &values)?,
        "mul" => b.scatter_multiply(&target, axis, &indices, &values)?,
        "min" => b.scatter_min(&target, axis, &indices, &values)?,
        "max" => b.scatter_max(&target, axis, &indices, &values)?,
        other => fail!("attribute `reduction` must be none, add, mul, min or max, found `{other}`"),
    };
    Ok(vec![if whole { y } else { b.slice_assign(&x, &ranges, &y)? }.into()])
}

/// `y[indices[.., :]] = updates[..]`, where the last dimension of the indices is a tuple.
pub(super) fn scatter_nd(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, indices, values) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let Some(depth) = indices.dims().last().and_then(Expr::size) else {
        fail!("the last size of the indices must be known")
    };
    require!(depth > 0 && depth <= x.rank(), "tuples of {depth} indices for {:?}", x.dims());
    let flat = flat_indices(b, &indices, x.dims(), 0, depth)?;
    let (rows, inner) = (Expr::product(&x.dims()[..depth]), Expr::product(&x.dims()[depth..]));
    let table = b.reshape(&x, &[rows, inner.clone()])?;
    let count = Expr::product(&indices.dims()[..indices.rank() - 1]);
    let values = b.reshape(&values, &[count, inner])?;
    let y = match &node.text("reduction", "none")?[..] {
        "none" => b.select_replace(&table, 0, &flat, &values)?,
        "add" => b.select_add(&table, 0, &flat, &values)?,
        "mul" => b.select_multiply(&table, 0, &flat, &values)?,
        "min" => b.select_min(&table, 0, &flat, &values)?,
        "max" => b.select_max(&table, 0, &flat, &values)?,
        other => fail!("attribute `reduction` must be none, add, mul, min or max, found `{other}`"),
    };
    Ok(vec![b.reshaped(&y, x.dims())?.into()])
}

/// An update written to a cache at an index of each batch item; `circular` goes on at the front.
pub(super) fn tensor_scatter(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (cache, update) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let rank = cache.rank();
    let axis = node.axis(node.int("axis", -2)?, rank)?;
    require!(axis > 0 && update.rank() == rank, "expected an update of the rank of {cache:?}, got {update:?}");
    let mut places = iota(b, &update.dim(axis)?, axis, rank, DType::I64)?;
    if let Some(starts) = node.optional_tensor(b, 2)? {
        let starts = b.convert(&starts, DType::I64)?;
        let starts = along(b, &starts, 0, rank)?;
        places = b.add(&places, &starts)?;
    }
    match &node.text("mode", "linear")?[..] {
        "linear" => {}
        "circular" => places = b.remainder_scalar(&places, cache.dim(axis)?)?,
        other => fail!("attribute `mode` must be linear or circular, found `{other}`"),
    }
    let indices = b.expand(&places, update.dims())?;
    Ok(vec![b.scatter_assign(&cache, axis, &indices, &update)?.into()])
}
