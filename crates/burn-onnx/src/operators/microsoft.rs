//! Operators of the domain `com.microsoft` that exporters and graph optimizers write.

use super::matmul::product;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};
use burn_ir::DType;

/// Normalization over the last dimension of a sum, which is the fourth output.
fn normalized(node: &Node<'_>, b: &mut Builder, x: &Tensor, weight: usize, bias: usize) -> Outcome<Tensor> {
    let (weight, bias) = (node.tensor(b, weight)?, node.optional_tensor(b, bias)?);
    b.layer_norm(x, Some(&weight), bias.as_ref(), node.float("epsilon", 1e-12)?)
}

fn sum(b: &mut Builder, x: &Tensor, y: Option<Tensor>) -> Outcome<Tensor> {
    let Some(y) = y else { return Ok(x.clone()) };
    let (x, y) = b.aligned(x, &y)?;
    b.add(&x, &y)
}

/// `layer_norm(x + skip + bias)`.
pub(super) fn skip_layer_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, skip, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 4)?);
    let whole = sum(b, &x, Some(skip))?;
    let whole = sum(b, &whole, bias)?;
    let y = normalized(node, b, &whole, 2, 3)?;
    outputs(node, b, y, &whole)
}

/// `rms_norm(x + skip + bias)`.
pub(super) fn skip_rms_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, skip, weight) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let bias = node.optional_tensor(b, 3)?;
    let whole = sum(b, &x, Some(skip))?;
    let whole = sum(b, &whole, bias)?;
    let y = b.rms_norm(&whole, Some(&weight), node.float("epsilon", 1e-12)?)?;
    outputs(node, b, y, &whole)
}

/// The normalized sum and the sum; means and deviations, which only training needs, are not given.
fn outputs(node: &Node<'_>, b: &mut Builder, y: Tensor, whole: &Tensor) -> Outcome<Vec<OnnxValue>> {
    require!(!node.has_output(1) && !node.has_output(2), "means and deviations are outputs of training only");
    let none = b.full(&[0.into()], 0.0.into(), DType::F32)?;
    Ok(vec![y.into(), none.clone().into(), none.into(), whole.clone().into()])
}

/// `alpha a b` with transposed operands.
pub(super) fn fused_matmul(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let operand = |b: &mut Builder, place: usize, last: &str, batch: &str| {
        let x = node.tensor(b, place)?;
        let rank = x.rank();
        let mut order: Vec<usize> = (0..rank).collect();
        if node.flag(batch, false)? && rank > 2 {
            // The batch dimensions but the first come after the rows.
            order[..rank - 1].rotate_left(1);
        }
        if node.flag(last, false)? && rank > 1 {
            order.swap(rank - 2, rank - 1);
        }
        b.permuted(&x, &order)
    };
    let (x, y) = (operand(b, 0, "transA", "transBatchA")?, operand(b, 1, "transB", "transBatchB")?);
    let y = product(b, &x, &y)?;
    let alpha = node.float("alpha", 1.0)?;
    Ok(vec![if alpha == 1.0 { y } else { b.mul_scalar(&y, alpha.into())? }.into()])
}

pub(super) fn gelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    Ok(vec![b.gelu(&x)?.into()])
}

/// The approximation by a hyperbolic tangent of `x + bias`.
pub(super) fn fast_gelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, bias) = (node.tensor(b, 0)?, node.optional_tensor(b, 1)?);
    let x = sum(b, &x, bias)?;
    Ok(vec![b.gelu_tanh(&x)?.into()])
}

pub(super) fn bias_gelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, bias) = (node.tensor(b, 0)?, node.optional_tensor(b, 1)?);
    let x = sum(b, &x, bias)?;
    Ok(vec![b.gelu(&x)?.into()])
}

/// `x sigmoid(alpha x)`.
pub(super) fn quick_gelu(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let x = node.tensor(b, 0)?;
    let scaled = b.mul_scalar(&x, node.float("alpha", 1.702)?.into())?;
    let gate = b.sigmoid(&scaled)?;
    Ok(vec![b.mul(&x, &gate)?.into()])
}

/// Rows of a table at indices of any shape.
fn embedded(b: &mut Builder, table: &Tensor, indices: &Tensor) -> Outcome<Tensor> {
    let indices = b.convert(indices, DType::I64)?;
    let list = b.reshape(&indices, &[Expr::product(indices.dims())])?;
    let rows = b.select(table, 0, &list)?;
    let mut dims = indices.dims().to_vec();
    dims.push(table.dim(1)?);
    b.reshape(&rows, &dims)
}

/// The sum of embeddings of words, positions and segments, normalized; and how many words the mask keeps.
pub(super) fn embed_layer_norm(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let ids = node.tensor(b, 0)?;
    let [batch, length] = ids.dims() else { fail!("expected words [batch, length], got {ids:?}") };
    let (batch, length) = (batch.clone(), length.clone());
    let table = node.tensor(b, 2)?;
    let mut whole = embedded(b, &table, &ids)?;
    let positions = match node.optional_tensor(b, 8)? {
        Some(positions) => positions,
        None => super::iota::iota(b, &length, 1, 2, DType::I64)?,
    };
    let table = node.tensor(b, 3)?;
    let own = embedded(b, &table, &positions)?;
    whole = b.add(&whole, &own)?;
    if let (Some(segments), Some(table)) = (node.optional_tensor(b, 1)?, node.optional_tensor(b, 4)?) {
        let own = embedded(b, &table, &segments)?;
        whole = b.add(&whole, &own)?;
    }
    let y = normalized(node, b, &whole, 5, 6)?;
    let counts = match node.optional_tensor(b, 7)? {
        Some(mask) => {
            let mask = b.convert(&mask, DType::I32)?;
            let sum = b.sum_dims(&mask, &[1])?;
            b.squeezed(&sum, &[1])?
        }
        None => b.full(&[batch], 0.into(), DType::I32)?,
    };
    Ok(vec![y.into(), counts.into(), whole.into()])
}
