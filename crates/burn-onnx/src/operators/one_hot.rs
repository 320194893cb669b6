//! One-hot vectors.

use super::gather::from_front;
use super::iota::{iota, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};
use burn_ir::DType;

/// 1 (`values[1]`) at the index that an element is along a new axis, and 0 (`values[0]`) elsewhere. Since
/// version 9.
pub(super) fn one_hot(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (indices, values) = (node.tensor(b, 0)?, node.tensor(b, 2)?);
    let depth = node.host(b, 1)?;
    let [depth] = &depth.cast(DType::I64).elements[..] else { fail!("the depth must be one number") };
    let rank = indices.rank() + 1;
    let axis = node.axis(node.int("axis", -1)?, rank)?;
    let indices = b.convert(&indices, DType::I64)?;
    let indices = from_front(b, &indices, depth)?;
    let indices = if indices.is_scalar() { indices } else { b.unsqueeze_dims(&indices, &[axis])? };
    let classes = iota(b, depth, axis, rank, DType::I64)?;
    let is_class = b.equal(&indices, &classes)?;
    let ones = vec![Expr::Int(1); rank];
    let mut value = |place: usize| {
        let value = part(b, &values, 0, place, place + 1)?;
        b.reshape(&value, &ones)
    };
    let (off, on) = (value(0)?, value(1)?);
    let is_class = is_class.as_scalar(false);
    Ok(vec![b.mask_where(&off, &is_class, &on)?.into()])
}
