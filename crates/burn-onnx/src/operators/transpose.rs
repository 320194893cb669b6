//! Dimensions in another order.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::Value;

pub(super) fn transpose(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let x = node.tensor(b, 0)?;
    let order: Vec<i64> = node.ints_attribute("perm")?.unwrap_or_else(|| (0..x.rank() as i64).rev().collect());
    require!(order.len() == x.rank(), "attribute `perm` must have {} numbers, found {order:?}", x.rank());
    let axes: Vec<usize> = order.iter().map(|&axis| node.axis(axis, x.rank())).collect::<Outcome<_>>()?;
    Ok(vec![b.permuted(&x, &axes)?.into()])
}
