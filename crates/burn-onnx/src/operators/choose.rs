//! Elements of two tensors by a condition.

use crate::builder::Builder;
use crate::calls::broadcast_dims;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Function, Host, OnnxValue};
use burn_ir::DType;

/// `x` where the condition holds, `y` elsewhere.
pub(super) fn select(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(hosts) = node.all_host()
        && hosts.len() == 3
    {
        let dtype = hosts[1].dtype;
        return Ok(vec![Host::map(Function::Where, &hosts, dtype)?.into()]);
    }
    let (mask, x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    require!(mask.dtype() == DType::Bool, "the condition must be boolean, found {}", mask.dtype());
    // One number in the place of elements.
    for (place, kept, is_inverted) in [(1, &y, false), (2, &x, true)] {
        if let Some(number) = node.number(place, kept.rank()) {
            let mask = if is_inverted { b.bool_not(&mask)? } else { mask.clone() };
            let (kept, mask) = b.aligned(kept, &mask)?;
            let dims = broadcast_dims(kept.held_dims(), mask.held_dims())?;
            if dims == kept.held_dims() {
                return Ok(vec![b.mask_fill(&kept, &mask, number)?.into()]);
            }
        }
    }
    let rank = [&mask, &x, &y].iter().map(|x| x.held_dims().len()).max().unwrap_or(1);
    let (mask, x, y) = (b.widened(&mask, rank)?, b.widened(&x, rank)?, b.widened(&y, rank)?);
    Ok(vec![b.mask_where(&y, &mask, &x)?.into()])
}
