//! Scaled dot-product attention. Attention since version 23 (lengths of caches since 24), FlexAttention of
//! the preview domain.

use super::iota::{along, iota, repeat_interleave};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::{Node, translate_graph};
use crate::value::{Expr, Function, OnnxValue, Tensor};
use burn_ir::DType;

/// Heads as a dimension: `[batch, length, heads size]` to `[batch, heads, length, size]`.
pub(super) fn split_heads(b: &mut Builder, x: &Tensor, heads: i64) -> Outcome<Tensor> {
    require!(heads > 0, "the number of heads must be given for {x:?}");
    let [batch, length, width] = x.dims() else { fail!("expected [batch, length, width], got {x:?}") };
    let sizes = [batch.clone(), length.clone(), heads.into(), width.clone() / heads];
    let x = b.reshape(x, &sizes)?;
    b.permute(&x, &[0, 2, 1, 3])
}

/// The opposite of [`split_heads`].
pub(super) fn join_heads(b: &mut Builder, x: &Tensor) -> Outcome<Tensor> {
    let [batch, heads, length, size] = x.dims() else { fail!("expected four dimensions, got {x:?}") };
    let sizes = [batch.clone(), length.clone(), heads.clone() * size.clone()];
    let x = b.permute(x, &[0, 2, 1, 3])?;
    b.reshape(&x, &sizes)
}

/// `softmax(softcap tanh(scale q k^T / softcap) + mask) v`, with keys and values after those of a cache;
/// gives the new caches and the scores at a stage that an attribute names.
pub(super) fn attention(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (mut q, mut k, mut v) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let flat = q.rank() == 3;
    if flat {
        let (heads, key_heads) = (node.int("q_num_heads", 0)?, node.int("kv_num_heads", 0)?);
        q = split_heads(b, &q, heads)?;
        k = split_heads(b, &k, key_heads)?;
        v = split_heads(b, &v, key_heads)?;
    }
    require!(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "expected tensors of rank 3 or 4, got {q:?}");
    let mut past = Expr::Int(0);
    if let Some(cache) = node.optional_tensor(b, 4)? {
        past = cache.dim(2)?;
        k = b.cat(&[cache, k], 2)?;
    }
    if let Some(cache) = node.optional_tensor(b, 5)? {
        v = b.cat(&[cache, v], 2)?;
    }
    let (present_key, present_value) = (k.clone(), v.clone());
    if let Some(factor) = plain_scale(node, &q, &past)? {
        let mut y = b.attention(&q, &k, &v, node.flag("is_causal", false)?, factor)?;
        if flat {
            y = join_heads(b, &y)?;
        }
        return Ok(vec![y.into(), present_key.into(), present_value.into()]);
    }
    let bias = bias(node, b, &q, &k, &past)?;
    let scale = scale(node, &q)?;
    let scores = scores(b, &q, &k, &scale)?;
    let stage = node.int("qk_matmul_output_mode", 0)?;
    let mut shown = scores.clone();
    let mut scores = capped(b, scores, node.float("softcap", 0.0)?)?;
    if stage == 1 {
        shown = scores.clone();
    }
    if let Some(bias) = bias {
        let (left, right) = b.aligned(&scores, &bias)?;
        scores = b.add(&left, &right)?;
    }
    if stage == 2 {
        shown = scores.clone();
    }
    if let Some(precision) = precision(node)? {
        scores = b.convert(&scores, precision)?;
    }
    let weights = b.softmax(&scores, 3)?;
    let weights = b.convert(&weights, v.dtype())?;
    if stage == 3 {
        shown = b.convert(&weights, q.dtype())?;
    }
    let v = grouped(b, &v, &q)?;
    let mut y = b.matmul(&weights, &v)?;
    if flat {
        y = join_heads(b, &y)?;
    }
    Ok(vec![y.into(), present_key.into(), present_value.into(), shown.into()])
}

/// The sum of what is added to scores: the mask, and minus infinity for later keys and for those beyond the
/// lengths.
fn bias(node: &Node<'_>, b: &mut Builder, q: &Tensor, k: &Tensor, past: &Expr) -> Outcome<Option<Tensor>> {
    let (queries, keys) = (q.dim(2)?, k.dim(2)?);
    let mut bias = match node.optional_tensor(b, 3)? {
        Some(mask) => Some(additive(b, &mask, &keys, q.dtype())?),
        None => None,
    };
    if node.flag("is_causal", false)? {
        let later = causal(b, &queries, &keys, past, q.dtype())?;
        bias = Some(combined(b, bias, later)?);
    }
    if let Some(lengths) = node.optional_tensor(b, 6)? {
        let lengths = b.convert(&lengths, DType::I64)?;
        let lengths = along(b, &lengths, 0, 4)?;
        let places = iota(b, &keys, 3, 4, DType::I64)?;
        let hidden = b.greater_equal(&places, &lengths)?;
        let zeros = b.full(hidden.dims(), 0.0.into(), q.dtype())?;
        let hidden = b.mask_fill(&zeros, &hidden, f64::NEG_INFINITY.into())?;
        bias = Some(combined(b, bias, hidden)?);
    }
    Ok(bias)
}

/// The factor of scores of attention that is one call: nothing but a causal mask changes scores, which
/// are no output.
fn plain_scale(node: &Node<'_>, q: &Tensor, past: &Expr) -> Outcome<Option<f64>> {
    let is_masked = node.has_input(3) || node.has_input(6) || (node.flag("is_causal", false)? && !past.is(0));
    let is_changed = node.float("softcap", 0.0)? > 0.0 || precision(node)?.is_some();
    if is_masked || is_changed || node.has_output(3) {
        return Ok(None);
    }
    Ok(scale(node, q)?.to_f64())
}

fn precision(node: &Node<'_>) -> Outcome<Option<DType>> {
    if node.int("softmax_precision", 0)? == 0 { Ok(None) } else { node.dtype("softmax_precision") }
}

/// The factor of scores: `1 / sqrt(size)` by default.
fn scale(node: &Node<'_>, q: &Tensor) -> Outcome<Expr> {
    Ok(match node.optional_float("scale")? {
        Some(scale) => scale.into(),
        None => {
            let size = Expr::apply(Function::ToFloat, vec![q.dim(3)?]);
            Expr::Float(1.0) / Expr::apply(Function::Sqrt, vec![size])
        }
    })
}

/// Keys or values, of which each head serves several heads of the queries.
fn grouped(b: &mut Builder, x: &Tensor, q: &Tensor) -> Outcome<Tensor> {
    let (heads, own) = (q.dim(1)?, x.dim(1)?);
    if heads == own { Ok(x.clone()) } else { repeat_interleave(b, x, 1, &(heads / own)) }
}

/// `scale q k^T`, with the root of the scale in both factors.
fn scores(b: &mut Builder, q: &Tensor, k: &Tensor, scale: &Expr) -> Outcome<Tensor> {
    let k = grouped(b, k, q)?;
    let root = Expr::apply(Function::Sqrt, vec![scale.clone()]);
    let (q, k) = (b.mul_scalar(q, root.clone())?, b.mul_scalar(&k, root)?);
    let k = b.permute(&k, &[0, 1, 3, 2])?;
    b.matmul(&q, &k)
}

/// `softcap tanh(scores / softcap)`; without a cap, scores as they are.
fn capped(b: &mut Builder, scores: Tensor, softcap: f64) -> Outcome<Tensor> {
    if softcap > 0.0 {
        let ratio = b.div_scalar(&scores, softcap.into())?;
        let ratio = b.tanh(&ratio)?;
        b.mul_scalar(&ratio, softcap.into())
    } else {
        Ok(scores)
    }
}

/// A mask as what is added to scores; one that is shorter than the keys hides the others.
fn additive(b: &mut Builder, mask: &Tensor, keys: &Expr, dtype: DType) -> Outcome<Tensor> {
    let added = if mask.dtype() == DType::Bool {
        let hidden = b.bool_not(mask)?;
        let zeros = b.full(mask.held_dims(), 0.0.into(), dtype)?;
        b.mask_fill(&zeros, &hidden, f64::NEG_INFINITY.into())?
    } else {
        b.convert(mask, dtype)?
    };
    let last = added.held_dims().len() - 1;
    let size = added.held_dim(last)?;
    if size == *keys || size.is(1) {
        return Ok(added);
    }
    let mut pads = vec![(Expr::Int(0), Expr::Int(0)); last + 1];
    pads[last].1 = keys.clone() - size;
    b.pad_constant(&added, &pads, f64::NEG_INFINITY.into())
}

/// Minus infinity where a key comes after a query; the queries come after `past` keys.
pub(super) fn causal(b: &mut Builder, queries: &Expr, keys: &Expr, past: &Expr, dtype: DType) -> Outcome<Tensor> {
    let (row, column) = (iota(b, queries, 0, 2, DType::I64)?, iota(b, keys, 1, 2, DType::I64)?);
    let row = b.add_scalar(&row, past.clone())?;
    let later = b.greater(&column, &row)?;
    let zeros = b.full(&[queries.clone(), keys.clone()], 0.0.into(), dtype)?;
    b.mask_fill(&zeros, &later, f64::NEG_INFINITY.into())
}

fn combined(b: &mut Builder, bias: Option<Tensor>, other: Tensor) -> Outcome<Tensor> {
    let Some(bias) = bias else { return Ok(other) };
    let (bias, other) = b.aligned(&bias, &other)?;
    b.add(&bias, &other)
}

/// Attention whose scores and weights graphs of attributes change.
pub(super) fn flex_attention(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (q, k, v) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    require!(q.rank() == 4 && k.rank() == 4 && v.rank() == 4, "expected tensors of rank 4, got {q:?}");
    let scale = scale(node, &q)?;
    let mut scores = scores(b, &q, &k, &scale)?;
    let narrow = matches!(q.dtype(), DType::F16 | DType::BF16);
    let precision = match precision(node)? {
        Some(precision) => precision,
        None if narrow => DType::F32,
        None => q.dtype(),
    };
    scores = b.convert(&scores, precision)?;
    scores = changed(node, b, "score_mod", scores)?;
    let weights = b.softmax(&scores, 3)?;
    let weights = changed(node, b, "prob_mod", weights)?;
    let wide = b.convert(&v, precision)?;
    let wide = grouped(b, &wide, &q)?;
    let y = b.matmul(&weights, &wide)?;
    Ok(vec![b.convert(&y, v.dtype())?.into()])
}

/// Applies the graph of an attribute to a tensor.
fn changed(node: &Node<'_>, b: &mut Builder, attribute: &str, x: Tensor) -> Outcome<Tensor> {
    let Some(graph) = node.graph_attribute(attribute)? else { return Ok(x) };
    let [input] = &graph.inputs[..] else { fail!("the graph of `{attribute}` must have one input") };
    let mut scope = node.scope.inner();
    scope.set(&input.name, x.into());
    let outputs = translate_graph(&graph, &mut scope, b).map_err(|error| error.to_string())?;
    match &outputs[..] {
        [output] => b.tensor(output),
        _ => fail!("the graph of `{attribute}` must have one output"),
    }
}
