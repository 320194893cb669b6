//! Losses of classification. NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss since version 12.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// `-weight[target] x[target]` of log-probabilities `x` of `[batch, classes, ..]`, where the target is not
/// `ignore_index`; its sum, or its mean weighted by `weight[target]`.
fn likelihood(node: &Node<'_>, b: &mut Builder, x: &Tensor) -> Outcome<Tensor> {
    let (target, weight) = (node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    require!(x.rank() >= 2 && target.rank() + 1 == x.rank(), "expected a class for each of {x:?}, got {target:?}");
    let target = b.convert(&target, DType::I64)?;
    let ignored = match node.optional_int("ignore_index")? {
        Some(index) => Some(b.equal_elem(&target, index.into())?),
        None => None,
    };
    let class = match &ignored {
        Some(ignored) => b.mask_fill(&target, ignored, 0.into())?,
        None => target.clone(),
    };
    let column = b.unsqueeze_dims(&class, &[1])?;
    let picked = b.gather(x, 1, &column)?;
    let picked = b.squeezed(&picked, &[1])?;
    let mut losses = b.neg(&picked)?;
    let mut weights = match &weight {
        Some(weight) => {
            let list = b.reshape(&class, &[Expr::product(class.dims())])?;
            let each = b.select(weight, 0, &list)?;
            Some(b.reshape(&each, class.dims())?)
        }
        None => None,
    };
    if let Some(ignored) = &ignored {
        let each = match &weights {
            Some(weights) => weights.clone(),
            None => b.full(class.dims(), 1.0.into(), x.dtype())?,
        };
        weights = Some(b.mask_fill(&each, ignored, 0.into())?);
    }
    if let Some(weights) = &weights {
        losses = b.mul(&losses, weights)?;
    }
    let axes: Vec<usize> = (0..losses.held_dims().len()).collect();
    match &node.text("reduction", "mean")?[..] {
        "none" => Ok(losses),
        "sum" => {
            let sum = b.sum_dims(&losses, &axes)?;
            b.reshaped(&sum, &[])
        }
        "mean" => {
            let mean = match &weights {
                Some(weights) => {
                    let (sum, whole) = (b.sum_dims(&losses, &axes)?, b.sum_dims(weights, &axes)?);
                    b.div(&sum, &whole)?
                }
                None => b.mean_dims(&losses, &axes)?,
            };
            b.reshaped(&mean, &[])
        }
        other => fail!("attribute `reduction` must be none, sum or mean, found `{other}`"),
    }
}

pub(super) fn negative_log_likelihood(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![likelihood(node, b, &x)?.into()])
}

/// The log-probabilities are the second output.
pub(super) fn softmax_cross_entropy(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let scores = node.tensor(b, 0)?;
    let log = b.log_softmax(&scores, 1)?;
    Ok(vec![likelihood(node, b, &log)?.into(), log.into()])
}
