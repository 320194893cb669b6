//! Normalizations.

use crate::builder::Builder;
use crate::error::{Outcome, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// Means and variances are those of the input in training mode, which gives the running ones too.
pub(super) fn batch_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (epsilon, momentum) = (node.float("epsilon", 1e-5)?, node.float("momentum", 0.9)?);
    let x = node.tensor(b, 0)?;
    let parts = [1, 2, 3, 4].map(|place| node.tensor(b, place));
    let [weight, bias, mean, variance] = parts;
    let (weight, bias, mean, variance) = (weight?, bias?, mean?, variance?);
    if !node.flag("training_mode", false)? {
        let x_type = x.dtype();
        let mean = b.convert(&mean, x_type)?;
        let variance = b.convert(&variance, x_type)?;
        let (weight, bias) = (b.convert(&weight, x_type)?, b.convert(&bias, x_type)?);
        return Ok(vec![b.batch_norm(&x, &mean, &variance, Some(&weight), Some(&bias), epsilon)?.into()]);
    }
    let others: Vec<usize> = (0..x.rank()).filter(|&d| d != 1).collect();
    let current = b.mean_dims(&x, &others)?;
    let centred = b.sub(&x, &current)?;
    let squares = b.mul(&centred, &centred)?;
    let spread = b.mean_dims(&squares, &others)?;
    let channels = [x.dim(1)?];
    let (current, spread) = (b.reshaped(&current, &channels)?, b.reshaped(&spread, &channels)?);
    let y = b.batch_norm(&x, &current, &spread, Some(&weight), Some(&bias), epsilon)?;
    let mut running = |old: &Tensor, new: &Tensor| {
        let old = b.mul_scalar(old, momentum.into())?;
        let new = b.convert(new, old.dtype())?;
        let new = b.mul_scalar(&new, (1.0 - momentum).into())?;
        b.add(&old, &new)
    };
    let (mean, variance) = (running(&mean, &current)?, running(&variance, &spread)?);
    Ok(vec![y.into(), mean.into(), variance.into()])
}

pub(super) fn instance_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let epsilon = node.float("epsilon", 1e-5)?;
    Ok(vec![b.instance_norm(&x, Some(&weight), Some(&bias), epsilon)?.into()])
}

/// Factors belong to groups up to version 20, to channels since.
pub(super) fn group_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let epsilon = node.float("epsilon", 1e-5)?;
    let groups = usize::try_from(node.int("num_groups", 0)?).unwrap_or(0);
    require!(groups > 0 && x.rank() >= 2, "attribute `num_groups` must be positive");
    if node.opset >= 21 {
        return Ok(vec![b.group_norm(&x, groups, Some(&weight), Some(&bias), epsilon)?.into()]);
    }
    let mut each = |factor: &Tensor| {
        let channels = x.dim(1)?;
        let column = b.reshape(factor, &[groups.into(), 1.into()])?;
        let table = b.expand(&column, &[groups.into(), channels.clone() / groups])?;
        b.reshape(&table, &[channels])
    };
    let (weight, bias) = (each(&weight)?, each(&bias)?);
    Ok(vec![b.group_norm(&x, groups, Some(&weight), Some(&bias), epsilon)?.into()])
}

/// Whether a factor has one number for each element of the normalized dimensions.
fn fills(factor: &Tensor, dims: &[Expr]) -> bool {
    factor.dims() == dims
}

/// Mean and the reciprocal of the deviation are outputs too.
pub(super) fn layer_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.optional_tensor(b, 1)?, node.optional_tensor(b, 2)?);
    let epsilon = node.float("epsilon", 1e-5)?;
    let axis = node.axis(node.int("axis", -1)?, x.rank())?;
    let inner = x.dims()[axis..].to_vec();
    let axes: Vec<usize> = (axis..x.rank()).collect();
    let whole = weight.iter().chain(&bias).all(|factor| fills(factor, &inner));
    let line = [Expr::product(&inner)];
    let y = if whole && inner.len() == 1 {
        b.layer_norm(&x, weight.as_ref(), bias.as_ref(), epsilon)?
    } else {
        let table = b.reshape(&x, &[Expr::product(&x.dims()[..axis]), line[0].clone()])?;
        let (mut w, mut c) = (None, None);
        if whole {
            w = weight.as_ref().map(|weight| b.reshaped(weight, &line)).transpose()?;
            c = bias.as_ref().map(|bias| b.reshaped(bias, &line)).transpose()?;
        }
        let y = b.layer_norm(&table, w.as_ref(), c.as_ref(), epsilon)?;
        let mut y = b.reshaped(&y, x.dims())?;
        if !whole {
            if let Some(weight) = &weight {
                let weight = b.widened(weight, x.rank())?;
                y = b.mul(&y, &weight)?;
            }
            if let Some(bias) = &bias {
                let bias = b.widened(bias, x.rank())?;
                y = b.add(&y, &bias)?;
            }
        }
        y
    };
    let mut values = vec![y.into()];
    if node.has_output(1) || node.has_output(2) {
        let mean = b.mean_dims(&x, &axes)?;
        let centred = b.sub(&x, &mean)?;
        let squares = b.mul(&centred, &centred)?;
        let variance = b.mean_dims(&squares, &axes)?;
        let variance = b.add_scalar(&variance, epsilon.into())?;
        let deviation = b.sqrt(&variance)?;
        values.push(mean.into());
        values.push(b.recip(&deviation)?.into());
    }
    Ok(values)
}

pub(super) fn rms_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let epsilon = node.float("epsilon", 1e-5)?;
    let axis = node.axis(node.int("axis", -1)?, x.rank())?;
    let inner = x.dims()[axis..].to_vec();
    if inner.len() == 1 && fills(&weight, &inner) {
        return Ok(vec![b.rms_norm(&x, Some(&weight), epsilon)?.into()]);
    }
    let table = b.reshape(&x, &[Expr::product(&x.dims()[..axis]), Expr::product(&inner)])?;
    let y = b.rms_norm(&table, None, epsilon)?;
    let y = b.reshaped(&y, x.dims())?;
    let weight = b.widened(&weight, x.rank())?;
    Ok(vec![b.mul(&y, &weight)?.into()])
}

pub(super) fn local_response_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let (alpha, beta, bias) = (node.float("alpha", 1e-4)?, node.float("beta", 0.75)?, node.float("bias", 1.0)?);
    let size = usize::try_from(node.int("size", 0)?).unwrap_or(0);
    require!(size > 0, "attribute `size` must be positive");
    Ok(vec![b.local_response_norm(&x, size, alpha, beta, bias)?.into()])
}

/// `x` over its norm along an axis, and 0 where the norm is 0.
pub(super) fn lp_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, p) = (node.tensor(b, 0)?, node.int("p", 2)?);
    let axis = node.axis(node.int("axis", -1)?, x.rank())?;
    let norm = if p == 1 {
        let sizes = b.abs(&x)?;
        b.sum_dims(&sizes, &[axis])?
    } else {
        let squares = b.mul(&x, &x)?;
        let sum = b.sum_dims(&squares, &[axis])?;
        b.sqrt(&sum)?
    };
    let is_zero = b.equal_elem(&norm, 0.into())?;
    let norm = b.mask_fill(&norm, &is_zero, 1.into())?;
    Ok(vec![b.div(&x, &norm)?.into()])
}

/// `(x - mean) / (deviation + 1e-9)` over axes.
pub(super) fn mean_variance_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let axes = node.ints_attribute("axes")?.unwrap_or_else(|| vec![0, 2, 3]);
    let axes = node.axes(&axes, x.rank())?;
    let mean = b.mean_dims(&x, &axes)?;
    let centred = b.sub(&x, &mean)?;
    let squares = b.mul(&centred, &centred)?;
    let variance = b.mean_dims(&squares, &axes)?;
    let deviation = b.sqrt(&variance)?;
    let deviation = b.add_scalar(&deviation, 1e-9.into())?;
    Ok(vec![b.div(&centred, &deviation)?.into()])
}
