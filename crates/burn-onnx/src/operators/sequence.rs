//! Lists of tensors, and values that may be missing. Sequences since version 11, SequenceMap since 17,
//! optionals since 15.

use super::control_flow::call;
use super::iota::part;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Host, OnnxValue, Tensor};
use burn_ir::DType;
use std::sync::Arc;

fn sequence<'a>(node: &'a Node<'_>, place: usize) -> Outcome<&'a [OnnxValue]> {
    match node.input(place)? {
        OnnxValue::Sequence(values) => Ok(values),
        OnnxValue::Optional(Some(value)) => match &**value {
            OnnxValue::Sequence(values) => Ok(values),
            other => fail!("input {place} must be a sequence, found {}", other.kind()),
        },
        other => fail!("input {place} must be a sequence, found {}", other.kind()),
    }
}

/// Values of a sequence that are copied to a longer one in the time of an iteration.
const COPIES: usize = 1024;

/// A sequence as the only output, whose values count against the limit of bytes together.
fn listed(b: &mut Builder, values: Vec<OnnxValue>) -> Outcome<Vec<OnnxValue>> {
    b.budget.bytes("sequence", values.iter().map(OnnxValue::bytes).fold(0, u64::saturating_add))?;
    b.budget.trips((values.len() / COPIES) as u64)?;
    Ok(vec![OnnxValue::Sequence(Arc::new(values))])
}

pub(super) fn construct(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let values = (0..node.inputs.len()).map(|place| node.input(place).cloned());
    listed(b, values.collect::<Outcome<_>>()?)
}

pub(super) fn empty(_: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    listed(b, Vec::new())
}

pub(super) fn length(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    Ok(vec![Host::scalar(DType::I64, Expr::from(sequence(node, 0)?.len())).into()])
}

/// An index in a list of `count` values; negative ones count from its end.
fn place(node: &Node<'_>, b: &mut Builder, input: usize, count: usize) -> Outcome<usize> {
    let host = node.host(b, input)?;
    let [Expr::Int(index)] = host.elements[..] else { fail!("the place in a sequence must be one known number") };
    let front = if index < 0 { index.saturating_add(count as i64) } else { index };
    match usize::try_from(front) {
        Ok(front) if front <= count => Ok(front),
        _ => fail!("place {index} is beyond a sequence of {count} values"),
    }
}

pub(super) fn at(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let values = sequence(node, 0)?;
    let place = place(node, b, 1, values.len())?;
    match values.get(place) {
        Some(value) => Ok(vec![value.clone()]),
        None => fail!("place {place} is beyond a sequence of {} values", values.len()),
    }
}

pub(super) fn insert(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut values = sequence(node, 0)?.to_vec();
    let place = if node.has_input(2) { place(node, b, 2, values.len())? } else { values.len() };
    values.insert(place, node.input(1)?.clone());
    listed(b, values)
}

pub(super) fn erase(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut values = sequence(node, 0)?.to_vec();
    let place = match node.has_input(1) {
        true => place(node, b, 1, values.len())?,
        false => values.len().saturating_sub(1),
    };
    require!(place < values.len(), "place {place} is beyond a sequence of {} values", values.len());
    values.remove(place);
    listed(b, values)
}

/// Tensors one after the other along an axis, or along a new one.
pub(super) fn concat(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let mut tensors: Vec<Tensor> = sequence(node, 0)?.iter().map(|value| b.tensor(value)).collect::<Outcome<_>>()?;
    let Some(first) = tensors.first() else { fail!("the sequence is empty") };
    let is_new = node.flag("new_axis", false)?;
    let rank = first.rank() + usize::from(is_new);
    let Some(axis) = node.optional_int("axis")? else { fail!("attribute `axis` is missing") };
    let axis = node.axis(axis, rank)?;
    if is_new {
        for x in &mut tensors {
            *x = if x.is_scalar() { x.clone().as_scalar(false) } else { b.unsqueeze_dims(x, &[axis])? };
        }
    }
    Ok(vec![if tensors.len() == 1 { tensors[0].clone() } else { b.cat(&tensors, axis)? }.into()])
}

/// Parts of a tensor along an axis: of size 1, of a size, or of given sizes.
pub(super) fn split(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axis = node.axis(node.int("axis", 0)?, x.rank())?;
    let Some(size) = x.dim(axis)?.size() else { fail!("the size of axis {axis} must be known") };
    let (sizes, squeeze): (Vec<usize>, bool) = match node.optional(1) {
        None => {
            b.budget.trips(size as u64)?;
            (vec![1; size], !node.flag("keepdims", true)?)
        }
        Some(value) => {
            let host = b.host(value)?;
            let known: Vec<usize> =
                host.known_ints("the sizes")?.into_iter().map(|size| usize::try_from(size).unwrap_or(0)).collect();
            match (&host.dims[..], &known[..]) {
                ([], &[part]) if part > 0 => {
                    b.budget.trips((size / part) as u64)?;
                    let mut sizes = vec![part; size / part];
                    if size % part > 0 {
                        sizes.push(size % part);
                    }
                    (sizes, false)
                }
                ([], _) => fail!("the size of the parts must be positive"),
                _ => (known, false),
            }
        }
    };
    let sum = sizes.iter().try_fold(0_usize, |sum, &part| sum.checked_add(part));
    require!(sum == Some(size), "parts {sizes:?} do not make up size {size}");
    let (mut parts, mut start) = (Vec::new(), 0);
    for size in sizes {
        let own = part(b, &x, axis, start, start + size)?;
        parts.push(if squeeze { b.squeezed(&own, &[axis])? } else { own }.into());
        start += size;
    }
    listed(b, parts)
}

/// A graph for each value of a sequence, with those of other sequences at its index and other values as they
/// are.
pub(super) fn map(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let Some(body) = node.graph_attribute("body")? else { fail!("attribute `body` is missing") };
    let count = sequence(node, 0)?.len();
    let mut all: Vec<Vec<OnnxValue>> = vec![Vec::new(); body.outputs.len()];
    for place in 0..count {
        b.budget.trip()?;
        let mut inputs = Vec::new();
        for input in 0..node.inputs.len() {
            inputs.push(match node.input(input)? {
                OnnxValue::Sequence(values) => match values.get(place) {
                    Some(value) => value.clone(),
                    None => fail!("input {input} has {} values, the first {count}", values.len()),
                },
                value => value.clone(),
            });
        }
        for (all, value) in all.iter_mut().zip(call(node, b, &body, inputs)?) {
            all.push(value);
        }
    }
    Ok(all.into_iter().map(|values| OnnxValue::Sequence(Arc::new(values))).collect())
}

pub(super) fn optional(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    Ok(vec![OnnxValue::Optional(node.optional(0).cloned().map(Arc::new))])
}

pub(super) fn optional_element(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    match node.input(0)? {
        OnnxValue::Optional(Some(value)) => Ok(vec![(**value).clone()]),
        OnnxValue::Optional(None) => fail!("the optional is empty"),
        value => Ok(vec![value.clone()]),
    }
}

pub(super) fn optional_has_element(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let has = node.optional(0).is_some_and(|value| !matches!(value, OnnxValue::Optional(None)));
    Ok(vec![Host::scalar(DType::Bool, Expr::Bool(has)).into()])
}
