//! Sequences backwards.

use super::iota::{along, iota};
use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::OnnxValue;
use burn_ir::DType;

/// Inputs of each sequence backwards, up to its length, along the time axis. Since version 10.
pub(super) fn reverse_sequence(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, lengths) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let rank = x.rank();
    let (time, batch) = (node.axis(node.int("time_axis", 0)?, rank)?, node.axis(node.int("batch_axis", 1)?, rank)?);
    let steps = iota(b, &x.dim(time)?, time, rank, DType::I64)?;
    let lengths = b.convert(&lengths, DType::I64)?;
    let lengths = along(b, &lengths, batch, rank)?;
    let from_end = b.sub(&lengths, &steps)?;
    let from_end = b.sub_scalar(&from_end, 1.into())?;
    let is_padding = b.lower_elem(&from_end, 0.into())?;
    let indices = b.mask_where(&from_end, &is_padding, &steps)?;
    let indices = b.expand(&indices, x.dims())?;
    Ok(vec![b.gather(&x, time, &indices)?.into()])
}
