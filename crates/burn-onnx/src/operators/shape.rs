//! Sizes of tensors, which are numbers of the host.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Expr, Host, OnnxValue};
use burn_ir::DType;

pub(super) fn shape(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let dims = node.input(0)?.dims()?;
    let rank = dims.len() as i64;
    let bound = |value: i64| (if value < 0 { value.saturating_add(rank) } else { value }).clamp(0, rank) as usize;
    let (start, end) = (bound(node.int("start", 0)?), bound(node.int("end", rank)?));
    Ok(vec![Host::ints(dims[start..end.max(start)].to_vec()).into()])
}

pub(super) fn size(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let count = Expr::product(&node.input(0)?.dims()?);
    Ok(vec![Host::scalar(DType::I64, count).into()])
}
