//! Attention of the domain `com.microsoft`.

use super::attention::{causal, join_heads, split_heads};
use super::iota::{along, iota, item, part};
use super::matmul::product;
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, OnnxValue, Tensor};
use burn_ir::DType;

/// Attention of `x W + bias`, which holds queries, keys and values beside each other.
pub(super) fn attention(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    let heads = node.int("num_heads", 0)?;
    let mut all = product(b, &x, &weight)?;
    if let Some(bias) = bias {
        let (left, right) = b.aligned(&all, &bias)?;
        all = b.add(&left, &right)?;
    }
    let width = all.dim(2)?;
    let sizes: [Expr; 3] = match node.ints_attribute("qkv_hidden_sizes")?.as_deref() {
        Some(&[q, k, v]) => [q.into(), k.into(), v.into()],
        _ => [0; 3].map(|_| width.clone() / 3),
    };
    let mut start = Expr::Int(0);
    let mut parts = Vec::new();
    for size in sizes {
        let own = part(b, &all, 2, start.clone(), start.clone() + size.clone())?;
        parts.push(split_heads(b, &own, heads)?);
        start = start + size;
    }
    let mut present = None;
    let mut past = Expr::Int(0);
    if let Some(cache) = node.optional_tensor(b, 4)? {
        past = cache.dim(3)?;
        for place in 0..2 {
            let own = item(b, &cache, 0, place)?;
            parts[place + 1] = b.cat(&[own, parts[place + 1].clone()], 2)?;
        }
    }
    if node.has_output(1) {
        let (k, v) = (b.unsqueeze_dims(&parts[1], &[0])?, b.unsqueeze_dims(&parts[2], &[0])?);
        present = Some(b.cat(&[k, v], 0)?);
    }
    let y = attended(node, b, &parts, &past, 3)?;
    Ok([Some(y), present].into_iter().flatten().map(OnnxValue::from).collect())
}

/// Attention of queries, keys and values, each with a bias of its own part.
pub(super) fn multi_head(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let heads = node.int("num_heads", 0)?;
    let (q, k, v) = (node.tensor(b, 0)?, node.optional_tensor(b, 1)?, node.optional_tensor(b, 2)?);
    let (Some(k), Some(v)) = (k, v) else { fail!("packed queries, keys and values are not supported") };
    require!(q.rank() == 3, "expected queries [batch, length, width], got {q:?}");
    let bias = node.optional_tensor(b, 3)?;
    let mut start = Expr::Int(0);
    let mut parts = Vec::new();
    for x in [q, k, v] {
        if x.rank() == 4 {
            // Keys and values of another input, split into heads already.
            parts.push(x);
            continue;
        }
        let width = x.dim(2)?;
        let mut x = x;
        if let Some(bias) = &bias {
            let own = part(b, bias, 0, start.clone(), start.clone() + width.clone())?;
            let own = along(b, &own, 2, 3)?;
            x = b.add(&x, &own)?;
        }
        start = start + width;
        parts.push(split_heads(b, &x, heads)?);
    }
    let mut past = Expr::Int(0);
    for (place, cache) in [(1, 6), (2, 7)] {
        if let Some(cache) = node.optional_tensor(b, cache)? {
            past = cache.dim(2)?;
            parts[place] = b.cat(&[cache, parts[place].clone()], 2)?;
        }
    }
    let y = attended(node, b, &parts, &past, 4)?;
    Ok(vec![y.into(), parts[1].clone().into(), parts[2].clone().into()])
}

/// Attention of queries, keys and values that are split into heads, with the mask of keys that is input
/// `mask` and what input 5 adds to the scores; `past` keys come before those of this call.
fn attended(node: &Node<'_>, b: &mut Builder, parts: &[Tensor], past: &Expr, mask: usize) -> Outcome<Tensor> {
    let mut bias = match node.optional_tensor(b, mask)? {
        Some(mask) => Some(key_mask(node, b, &mask, &parts[1])?),
        None => None,
    };
    if let Some(added) = node.optional_tensor(b, 5)? {
        bias = Some(combined(b, bias, added)?);
    }
    if node.flag("unidirectional", false)? {
        let (queries, keys) = (parts[0].dim(2)?, parts[1].dim(2)?);
        let later = causal(b, &queries, &keys, past, parts[0].dtype())?;
        bias = Some(combined(b, bias, later)?);
    }
    let y = weighted(node, b, &parts[0], &parts[1], &parts[2], bias)?;
    join_heads(b, &y)
}

fn combined(b: &mut Builder, bias: Option<Tensor>, other: Tensor) -> Outcome<Tensor> {
    let Some(bias) = bias else { return Ok(other) };
    let (bias, other) = b.aligned(&bias, &other)?;
    b.add(&bias, &other)
}

/// A mask of keys as what is added to scores: lengths `[batch]`, or 1 for keys to look at in `[batch, keys]`,
/// `[batch, queries, keys]` or `[batch, 1, queries, keys]`.
fn key_mask(node: &Node<'_>, b: &mut Builder, mask: &Tensor, keys: &Tensor) -> Outcome<Tensor> {
    let lowest = node.float("mask_filter_value", -10_000.0)?;
    let (count, dtype) = (keys.dim(2)?, keys.dtype());
    let hidden = match mask.rank() {
        1 => {
            let lengths = b.convert(mask, DType::I64)?;
            let lengths = part(b, &lengths, 0, 0, keys.dim(0)?)?;
            let lengths = along(b, &lengths, 0, 4)?;
            let places = iota(b, &count, 3, 4, DType::I64)?;
            b.greater_equal(&places, &lengths)?
        }
        rank => {
            let shown = b.convert(mask, DType::Bool)?;
            let hidden = b.bool_not(&shown)?;
            match rank {
                2 => b.unsqueeze_dims(&hidden, &[1, 2])?,
                3 => b.unsqueeze_dims(&hidden, &[1])?,
                _ => hidden,
            }
        }
    };
    let zeros = b.full(hidden.dims(), 0.0.into(), dtype)?;
    b.mask_fill(&zeros, &hidden, lowest.into())
}

fn weighted(
    node: &Node<'_>,
    b: &mut Builder,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    bias: Option<Tensor>,
) -> Outcome<Tensor> {
    let scale = match node.float("scale", 0.0)? {
        0.0 => {
            let size = Expr::apply(Function::ToFloat, vec![q.dim(3)?]);
            Expr::Float(1.0) / Expr::apply(Function::Sqrt, vec![size])
        }
        scale => scale.into(),
    };
    let k = b.permute(k, &[0, 1, 3, 2])?;
    let scores = b.matmul(q, &k)?;
    let mut scores = b.mul_scalar(&scores, scale)?;
    if let Some(bias) = bias {
        let (left, right) = b.aligned(&scores, &bias)?;
        scores = b.add(&left, &right)?;
    }
    let weights = b.softmax(&scores, 3)?;
    b.matmul(&weights, v)
}
