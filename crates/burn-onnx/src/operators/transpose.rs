//! Dimensions in another order.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Host, OnnxValue};

pub(super) fn transpose(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let rank = node.input(0)?.rank()?;
    let order: Vec<i64> = node.ints_attribute("perm")?.unwrap_or_else(|| (0..rank as i64).rev().collect());
    require!(order.len() == rank, "attribute `perm` must have {rank} numbers, found {order:?}");
    let axes: Vec<usize> = order.iter().map(|&axis| node.axis(axis, rank)).collect::<Outcome<_>>()?;
    if let OnnxValue::Host(host) = node.input(0)? {
        return Ok(vec![on_host(host, &axes)?.into()]);
    }
    let x = node.tensor(b, 0)?;
    Ok(vec![b.permuted(&x, &axes)?.into()])
}

/// Numbers of the host with their dimensions in another order.
fn on_host(host: &Host, axes: &[usize]) -> Outcome<Host> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    require!(sorted.iter().copied().eq(0..axes.len()), "attribute `perm` names a dimension twice: {axes:?}");
    let stride = |axis: usize| host.dims[axis + 1..].iter().product::<usize>() as isize;
    let strides: Vec<isize> = axes.iter().map(|&axis| stride(axis)).collect();
    let dims = axes.iter().map(|&axis| host.dims[axis]).collect();
    Ok(host.gathered(dims, &strides, 0))
}
