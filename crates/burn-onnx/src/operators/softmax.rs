//! Softmax and its relatives.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// Softmax over one axis since version 13, over all dimensions from an axis on before.
fn over_axis(
    node: &Node<'_>,
    b: &mut Builder,
    call: fn(&mut Builder, &Tensor, usize) -> Outcome<Tensor>,
) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let is_flat = node.opset < 13;
    let axis = node.axis(node.int("axis", if is_flat { 1 } else { -1 })?, x.rank())?;
    if !is_flat || axis + 1 == x.rank() {
        return Ok(vec![call(b, &x, axis)?.into()]);
    }
    let sizes = [Expr::product(&x.dims()[..axis]), Expr::product(&x.dims()[axis..])];
    let flat = b.reshape(&x, &sizes)?;
    let result = call(b, &flat, 1)?;
    Ok(vec![b.reshaped(&result, x.dims())?.into()])
}

pub(super) fn softmax(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    over_axis(node, b, |b, x, axis| b.softmax(x, axis))
}

pub(super) fn log_softmax(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    over_axis(node, b, |b, x, axis| b.log_softmax(x, axis))
}

/// 1 at the largest element of the axis, of equals the first, and 0 elsewhere.
pub(super) fn hardmax(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    over_axis(node, b, |b, x, axis| {
        let largest = b.argmax(x, axis)?;
        let mut sizes = vec![Expr::Int(1); x.rank()];
        sizes[axis] = x.dim(axis)?;
        let places = b.arange(Expr::Int(0), x.dim(axis)?, 1, largest.dtype())?;
        let places = b.reshaped(&places, &sizes)?;
        let is_largest = b.equal(&places, &largest)?;
        b.convert(&is_largest, x.dtype())
    })
}
