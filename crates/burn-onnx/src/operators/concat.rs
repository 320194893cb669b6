//! Tensors one after the other.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Host, OnnxValue};

/// The most numbers that are joined on the host.
const MOST_ON_HOST: usize = 1 << 16;

pub(super) fn concat(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let Some(axis) = node.optional_int("axis")? else { fail!("attribute `axis` is missing") };
    if let Some(hosts) = node.all_host()
        && hosts.iter().all(|host| host.dims.len() == 1 && host.dtype == hosts[0].dtype)
        && hosts.iter().map(|host| host.elements.len()).sum::<usize>() <= MOST_ON_HOST
    {
        let dtype = hosts[0].dtype;
        let elements: Vec<_> = hosts.into_iter().flat_map(|host| host.elements).collect();
        return Ok(vec![Host { dtype, dims: vec![elements.len()], elements }.into()]);
    }
    let tensors = b.all_tensors(&node.inputs)?;
    let rank = tensors.first().map_or(0, |x| x.rank());
    let axis = node.axis(axis, rank)?;
    if let [only] = &tensors[..] {
        return Ok(vec![only.clone().into()]);
    }
    Ok(vec![b.cat(&tensors, axis)?.into()])
}
