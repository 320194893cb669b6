//! Arithmetic of tensors whose shapes broadcast.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, Function, Host, OnnxValue, Tensor};

fn on_host(node: &Node<'_>, function: Function) -> Outcome<Option<Vec<OnnxValue>>> {
    let Some(hosts) = node.all_host() else { return Ok(None) };
    let dtype = hosts[0].dtype;
    let mut result = hosts[0].clone();
    for other in &hosts[1..] {
        result = Host::map(function, &[result, other.clone()], dtype)?;
    }
    // A result that is no number on the host, such as a division by zero, is left to the device.
    let is_number = result.elements.iter().all(|element| element.is_known()) || hosts.iter().any(|host| host.to_data().is_none());
    Ok(is_number.then(|| vec![result.into()]))
}

pub(super) fn add(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(values) = on_host(node, Function::Add)? {
        return Ok(values);
    }
    for (x, other) in [(0, 1), (1, 0)] {
        if let Some(OnnxValue::Tensor(tensor)) = node.optional(x)
            && let Some(value) = node.number(other, tensor.rank())
        {
            return Ok(vec![b.add_scalar(tensor, value)?.into()]);
        }
    }
    let (x, y) = pair(node, b)?;
    Ok(vec![b.add(&x, &y)?.into()])
}

pub(super) fn mul(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(values) = on_host(node, Function::Mul)? {
        return Ok(values);
    }
    for (x, other) in [(0, 1), (1, 0)] {
        if let Some(OnnxValue::Tensor(tensor)) = node.optional(x)
            && let Some(value) = node.number(other, tensor.rank())
        {
            return Ok(vec![b.mul_scalar(tensor, value)?.into()]);
        }
    }
    let (x, y) = pair(node, b)?;
    Ok(vec![b.mul(&x, &y)?.into()])
}

pub(super) fn sub(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(values) = on_host(node, Function::Sub)? {
        return Ok(values);
    }
    if let Some(OnnxValue::Tensor(x)) = node.optional(0)
        && let Some(value) = node.number(1, x.rank())
    {
        return Ok(vec![b.sub_scalar(x, value)?.into()]);
    }
    let (x, y) = pair(node, b)?;
    Ok(vec![b.sub(&x, &y)?.into()])
}

pub(super) fn div(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(values) = on_host(node, Function::Div)? {
        return Ok(values);
    }
    if let Some(OnnxValue::Tensor(x)) = node.optional(0)
        && let Some(value) = node.number(1, x.rank())
    {
        return Ok(vec![b.div_scalar(x, value)?.into()]);
    }
    let (x, y) = pair(node, b)?;
    Ok(vec![b.div(&x, &y)?.into()])
}

pub(super) fn modulo(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let is_fmod = node.flag("fmod", false)?;
    let function = if is_fmod { Function::Fmod } else { Function::Remainder };
    if let Some(values) = on_host(node, function)? {
        return Ok(values);
    }
    let (x, y) = pair(node, b)?;
    Ok(vec![if is_fmod { b.fmod(&x, &y)? } else { b.remainder(&x, &y)? }.into()])
}

/// `x^y` in the element type of `x`.
pub(super) fn pow(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(values) = on_host(node, Function::Pow)? {
        return Ok(values);
    }
    let x = node.tensor(b, 0)?;
    if x.dtype().is_float()
        && let Some(value) = node.number(1, x.rank())
    {
        return Ok(vec![b.powf_scalar(&x, value)?.into()]);
    }
    let y = node.tensor(b, 1)?;
    let (x, y) = b.aligned(&x, &y)?;
    let (base, exponent) = (x.dtype(), y.dtype());
    let power = match (base.is_float(), exponent.is_float()) {
        (true, _) => {
            let y = b.convert(&y, base)?;
            b.powf(&x, &y)?
        }
        (false, true) => {
            let float = b.convert(&x, exponent)?;
            let power = b.powf(&float, &y)?;
            b.convert(&power, base)?
        }
        (false, false) => {
            let y = b.convert(&y, base)?;
            b.powi(&x, &y)?
        }
    };
    Ok(vec![power.into()])
}

fn pair(node: &Node<'_>, b: &mut Builder) -> Outcome<(Tensor, Tensor)> {
    let (x, y) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    b.aligned(&x, &y)
}

fn fold(
    node: &Node<'_>,
    b: &mut Builder,
    function: Function,
    call: fn(&mut Builder, &Tensor, &Tensor) -> Outcome<Tensor>,
) -> Outcome<Tensor> {
    let mut tensors = b.all_tensors(&node.inputs)?.into_iter();
    let Some(mut result) = tensors.next() else { fail!("{function:?} needs an input") };
    for next in tensors {
        let (x, y) = b.aligned(&result, &next)?;
        result = call(b, &x, &y)?;
    }
    Ok(result)
}

pub(super) fn max(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    match on_host(node, Function::Max)? {
        Some(values) => Ok(values),
        None => Ok(vec![fold(node, b, Function::Max, |b, x, y| b.max_pair(x, y))?.into()]),
    }
}

pub(super) fn min(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    match on_host(node, Function::Min)? {
        Some(values) => Ok(values),
        None => Ok(vec![fold(node, b, Function::Min, |b, x, y| b.min_pair(x, y))?.into()]),
    }
}

pub(super) fn sum(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    Ok(vec![fold(node, b, Function::Add, |b, x, y| b.add(x, y))?.into()])
}

pub(super) fn mean(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let sum = fold(node, b, Function::Add, |b, x, y| b.add(x, y))?;
    Ok(vec![b.div_scalar(&sum, Expr::from(node.inputs.len()))?.into()])
}
