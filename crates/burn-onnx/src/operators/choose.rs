//! Elements of two tensors by a condition.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Function, Host, Value};
use burn_ir::DType;

/// `x` where the condition holds, `y` elsewhere.
pub(super) fn select(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    if let Some(hosts) = node.all_host()
        && hosts.len() == 3
    {
        let dtype = hosts[1].dtype;
        return Ok(vec![Host::map(Function::Where, &hosts, dtype)?.into()]);
    }
    let (mask, x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    require!(mask.dtype() == DType::Bool, "the condition must be of truth values, found {}", mask.dtype());
    let rank = [&mask, &x, &y].iter().map(|x| x.held_dims().len()).max().unwrap_or(1);
    let (mask, x, y) = (b.widened(&mask, rank)?, b.widened(&x, rank)?, b.widened(&y, rank)?);
    Ok(vec![b.mask_where(&y, &mask, &x)?.into()])
}
