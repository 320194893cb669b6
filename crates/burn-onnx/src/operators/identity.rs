//! Values as they are.

use crate::builder::Builder;
use crate::error::{Outcome, fail};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue};
use burn_ir::DType;

pub(super) fn identity(node: &Node<'_>, _: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    Ok(vec![node.input(0)?.clone()])
}

/// Dropout of inference: the input, and a mask of true.
pub(super) fn dropout(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    if let Some(training) = node.optional(2) {
        let training = b.host(training)?;
        let ratio = node.optional(1).map(|ratio| b.host(ratio)).transpose()?;
        let drops = ratio.is_none_or(|ratio| ratio.elements.first().and_then(Expr::to_f64) != Some(0.0));
        if training.elements.first() != Some(&Expr::Bool(false)) && drops {
            fail!("training mode draws random numbers and is not supported; export the model for inference");
        }
    }
    let x = node.input(0)?.clone();
    if !node.has_output(1) {
        return Ok(vec![x]);
    }
    let mask = b.full(&x.dims()?, true.into(), DType::Bool)?;
    Ok(vec![x, mask.into()])
}
