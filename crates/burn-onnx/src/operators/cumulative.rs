//! Running sums and products along an axis, of the elements before and with the own one (`exclusive`: before
//! it), from the front or (`reverse`) from the back. CumSum since version 11, CumProd since 26.

use super::iota::part;
use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

fn running(
    node: &Node<'_>,
    b: &mut Builder,
    identity: Expr,
    call: fn(&mut Builder, &Tensor, usize) -> Outcome<Tensor>,
) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let [axis] = node.host(b, 1)?.known_ints("the axis")?[..] else { fail!("the axis must be one number") };
    let axis = node.axis(axis, x.rank())?;
    let (exclusive, reverse) = (node.flag("exclusive", false)?, node.flag("reverse", false)?);
    let mut y = if reverse { b.flip(&x, &[axis])? } else { x.clone() };
    if exclusive {
        y = part(b, &y, axis, 0, x.dim(axis)? - 1)?;
        let mut pads = vec![(Expr::Int(0), Expr::Int(0)); x.rank()];
        pads[axis].0 = Expr::Int(1);
        y = b.pad_constant(&y, &pads, identity)?;
    }
    y = call(b, &y, axis)?;
    Ok(vec![if reverse { b.flip(&y, &[axis])? } else { y }.into()])
}

pub(super) fn cum_sum(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    running(node, b, Expr::Int(0), |b, x, axis| b.cumsum(x, axis))
}

pub(super) fn cum_prod(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    running(node, b, Expr::Int(1), |b, x, axis| b.cumprod(x, axis))
}
