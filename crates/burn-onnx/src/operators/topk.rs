//! The largest or smallest elements of an axis.

use super::iota::part;
use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};
use burn_ir::DType;

/// The `k` largest elements in descending order, or since version 11 the smallest in ascending order, and
/// their indices; of equals those in front. `k` is an attribute before version 10.
pub(super) fn topk(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axis = node.axis(node.int("axis", -1)?, x.rank())?;
    let k = match node.optional_int("k")? {
        Some(k) => Expr::Int(k),
        None => match &node.ints(b, 1)?[..] {
            [k] => k.clone(),
            other => fail!("the number of elements must be one number, found {other:?}"),
        },
    };
    let sorted = if node.flag("largest", true)? {
        b.sort_descending_with_indices(&x, axis)?
    } else {
        b.sort_with_indices(&x, axis)?
    };
    let [values, indices] = &sorted[..] else { fail!("sorting gives two tensors") };
    let (values, indices) = (part(b, values, axis, 0, k.clone())?, part(b, indices, axis, 0, k)?);
    let indices = b.convert(&indices, DType::I64)?;
    Ok(vec![values.into(), indices.into()])
}
