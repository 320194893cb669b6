//! Attention with a recurrent state, and the causal convolution that comes before it. Since version 27.

use super::attention::{join_heads, split_heads};
use super::iota::{part, repeat_interleave};
use crate::builder::Builder;
use crate::calls::ConvWindow;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, Function, OnnxValue, Tensor};
use burn_ir::DType;

/// The most steps that are unrolled.
const MOST_STEPS: usize = 1 << 16;

/// `S = exp(g) S + k (beta (v - S^T k))^T` and `y = scale S^T q` for each step, where an update rule may
/// leave out the decay `g` and the correction by `beta`.
pub(super) fn linear_attention(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (q, k, v) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.tensor(b, 2)?);
    let (heads, key_heads) = (node.int("q_num_heads", 0)?, node.int("kv_num_heads", 0)?);
    require!(key_heads > 0 && heads % key_heads == 0, "{heads} heads of queries for {key_heads} of keys");
    let (has_decay, has_beta) = match &node.text("update_rule", "gated_delta")?[..] {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => fail!("attribute `update_rule` must be linear, gated, delta or gated_delta, found `{other}`"),
    };
    let dtype = q.dtype();
    let mut wide = |x: &Tensor, heads: i64| {
        let x = split_heads(b, x, heads)?;
        b.convert(&x, DType::F32)
    };
    let (q, k, v) = (wide(&q, heads)?, wide(&k, key_heads)?, wide(&v, key_heads)?);
    let length = q.dim(2)?;
    let Some(steps) = length.size().filter(|&steps| steps <= MOST_STEPS) else {
        fail!("the length of the sequence must be known and at most {MOST_STEPS}, found {length:?}")
    };
    let (batch, size, size_out) = (q.dim(0)?, q.dim(3)?, v.dim(3)?);
    let decay = if has_decay { Some(decay(node, b, key_heads)?) } else { None };
    let beta = if has_beta { Some(correction(node, b, key_heads)?) } else { None };
    let (mut state, state_type) = match node.optional_tensor(b, 3)? {
        Some(state) => (b.convert(&state, DType::F32)?, state.dtype()),
        None => (b.full(&[batch, key_heads.into(), size.clone(), size_out], 0.0.into(), DType::F32)?, dtype),
    };
    let scale = match node.float("scale", 0.0)? {
        0.0 => {
            let size = Expr::apply(Function::ToFloat, vec![size]);
            Expr::Float(1.0) / Expr::apply(Function::Sqrt, vec![size])
        }
        scale => scale.into(),
    };
    let q = b.mul_scalar(&q, scale)?;
    let mut outputs = Vec::new();
    for step in 0..steps {
        b.budget.trip()?;
        let factors = (decay.as_ref(), beta.as_ref());
        state = updated(b, state, &k, &v, factors, step)?;
        let query = part(b, &q, 2, step, step + 1)?;
        let shared = repeat_interleave(b, &state, 1, &(heads / key_heads).into())?;
        outputs.push(b.matmul(&query, &shared)?);
    }
    require!(!outputs.is_empty(), "the sequence is empty");
    let y = if outputs.len() == 1 { outputs[0].clone() } else { b.cat(&outputs, 2)? };
    let y = join_heads(b, &y)?;
    let (y, state) = (b.convert(&y, dtype)?, b.convert(&state, state_type)?);
    Ok(vec![y.into(), state.into()])
}

/// `exp(g)` of the decay `g`.
fn decay(node: &Node<'_>, b: &mut Builder, key_heads: i64) -> Outcome<Tensor> {
    let decay = node.tensor(b, 4)?;
    let decay = split_heads(b, &decay, key_heads)?;
    let decay = b.convert(&decay, DType::F32)?;
    b.exp(&decay)
}

/// The factor `beta` of the correction.
fn correction(node: &Node<'_>, b: &mut Builder, key_heads: i64) -> Outcome<Tensor> {
    let beta = node.tensor(b, 5)?;
    let own = beta.dim(2)?.known().unwrap_or(key_heads);
    let beta = split_heads(b, &beta, own)?;
    b.convert(&beta, DType::F32)
}

/// The state `[batch, heads, size, size_out]` after a step, whose keys and values are rows `[batch, heads, 1,
/// size]`.
fn updated(
    b: &mut Builder,
    mut state: Tensor,
    k: &Tensor,
    v: &Tensor,
    (decay, beta): (Option<&Tensor>, Option<&Tensor>),
    step: usize,
) -> Outcome<Tensor> {
    let key = part(b, k, 2, step, step + 1)?;
    let mut value = part(b, v, 2, step, step + 1)?;
    if let Some(decay) = decay {
        let factor = part(b, decay, 2, step, step + 1)?;
        let factor = b.permute(&factor, &[0, 1, 3, 2])?;
        state = b.mul(&state, &factor)?;
    }
    if let Some(beta) = beta {
        let known = b.matmul(&key, &state)?;
        let rest = b.sub(&value, &known)?;
        let beta = part(b, beta, 2, step, step + 1)?;
        value = b.mul(&rest, &beta)?;
    }
    let column = b.permute(&key, &[0, 1, 3, 2])?;
    let update = b.mul(&column, &value)?;
    b.add(&state, &update)
}

/// A convolution of each channel with the elements up to its own; those before the first are a state.
pub(super) fn causal_conv(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, weight, bias) = (node.tensor(b, 0)?, node.tensor(b, 1)?, node.optional_tensor(b, 2)?);
    require!(x.rank() == 3 && weight.rank() == 3, "expected [batch, channels, length], got {x:?} and {weight:?}");
    let (Some(kernel), Some(channels)) = (weight.dim(2)?.size(), weight.dim(0)?.size()) else {
        fail!("the size of the kernel must be known")
    };
    let before = kernel.saturating_sub(1);
    let padded = match node.optional_tensor(b, 3)? {
        Some(state) => b.cat(&[state, x], 2)?,
        None if before == 0 => x,
        None => b.pad_constant(&x, &[(before.into(), 0.into())], 0.into())?,
    };
    let window = ConvWindow { strides: &[1], pads: &[0], dilations: &[1], group: channels };
    let y = b.conv(&padded, &weight, bias.as_ref(), window)?;
    let y = match &node.text("activation", "none")?[..] {
        "none" => y,
        "silu" | "swish" => b.silu(&y)?,
        other => fail!("attribute `activation` must be none, silu or swish, found `{other}`"),
    };
    let length = padded.dim(2)?;
    let state = part(b, &padded, 2, length.clone() - before, length)?;
    Ok(vec![y.into(), state.into()])
}
