//! Scaled dot-product attention in one call.

use super::declare::calls;
use super::{Fixed, Flag, Operand, Real};
use crate::error::{Outcome, require};
use crate::value::Spec;
#[cfg(feature = "run")]
use burn_tensor::module;

calls! {
    /// `softmax(factor q k^T) v`; with `is_causal` a query attends to keys up to its own position.
    float erased fn attention(q: Fixed<4>, k: Fixed<4>, v: Fixed<4>, is_causal: Flag, factor: Real) -> one attended
        => module::try_attention(q, k, v, None, module::AttentionOptions { causal: is_causal, scale: Some(factor) })?;
    /// `softmax(factor q k^T + mask) v`; the mask broadcasts to `[batch, heads, queries, keys]`.
    float erased fn attention_masked(q: Fixed<4>, k: Fixed<4>, v: Fixed<4>, mask: Fixed<4>, factor: Real) -> one attended
        => module::try_attention(q, k, v, Some(module::AttentionMask::Add(mask)), module::AttentionOptions { causal: false, scale: Some(factor) })?;
}

fn attended(operands: &[Operand]) -> Outcome<Vec<Spec>> {
    let (q, v) = (operands[0].tensor()?, operands[2].tensor()?);
    require!(
        q.held_dims().len() == 4 && v.held_dims().len() == 4,
        "expected tensors of rank 4, got {q:?} and {v:?}"
    );
    let mut dims = q.held_dims().to_vec();
    dims[3] = v.held_dims()[3].clone();
    Ok(vec![Spec::new(q.dtype(), dims)])
}
