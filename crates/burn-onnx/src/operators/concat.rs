//! Tensors one after the other.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Host, Value};

pub(super) fn concat(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<Value>> {
    let Some(axis) = node.optional_int("axis")? else { fail!("attribute `axis` is missing") };
    if let Some(hosts) = node.all_host()
        && hosts.iter().all(|host| host.dims.len() == 1 && host.dtype == hosts[0].dtype)
    {
        let elements: Vec<_> = hosts.iter().flat_map(|host| host.elements.clone()).collect();
        return Ok(vec![Host { dtype: hosts[0].dtype, dims: vec![elements.len()], elements }.into()]);
    }
    let tensors = b.all_tensors(&node.inputs)?;
    let rank = tensors.first().map_or(0, |x| x.rank());
    let axis = node.axis(axis, rank)?;
    if let [only] = &tensors[..] {
        return Ok(vec![only.clone().into()]);
    }
    Ok(vec![b.cat(&tensors, axis)?.into()])
}
