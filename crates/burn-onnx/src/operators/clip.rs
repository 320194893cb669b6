//! Values between two bounds.

use crate::builder::Builder;
use crate::error::Outcome;
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};

/// A bound that is known.
fn bound(node: &Node<'_>, name: &str, place: usize) -> Outcome<Option<Expr>> {
    if let Some(value) = node.optional_float(name)? {
        return Ok(Some(value.into()));
    }
    let host = node.as_host(place);
    Ok(host.filter(|host| host.elements.len() == 1 && host.elements[0].is_known()).map(|host| host.elements[0].clone()))
}

pub(super) fn clip(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let (low, high) = (bound(node, "min", 1)?, bound(node, "max", 2)?);
    let mut y = x.clone();
    match (&low, &high) {
        (Some(low), Some(high)) => return Ok(vec![b.clamp(&x, low.clone(), high.clone())?.into()]),
        (Some(low), None) => y = b.clamp_min(&y, low.clone())?,
        (None, Some(high)) if !node.has_input(1) => y = b.clamp_max(&y, high.clone())?,
        (None, _) => {}
    }
    if low.is_none()
        && let Some(low) = node.optional_tensor(b, 1)?
    {
        let (x, low) = b.aligned(&y, &low)?;
        y = b.max_pair(&x, &low)?;
        if let Some(high) = &high {
            y = b.clamp_max(&y, high.clone())?;
        }
    }
    if high.is_none()
        && let Some(high) = node.optional_tensor(b, 2)?
    {
        let (x, high) = b.aligned(&y, &high)?;
        y = b.min_pair(&x, &high)?;
    }
    Ok(vec![y.as_scalar(x.is_scalar()).into()])
}
