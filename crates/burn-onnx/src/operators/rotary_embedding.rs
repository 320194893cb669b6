//! Rotary position embeddings (Su et al., 2021). Since version 23.

use super::iota::{iota, item, part};
use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// Pairs of elements rotated by angles whose cosines and sines are given for each position, or for each step
/// by position.
pub(super) fn rotary_embedding(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, positions) = (node.tensor(b, 0)?, node.optional_tensor(b, 3)?);
    let (cos, sin) = (node.tensor(b, 1)?, node.tensor(b, 2)?);
    rotated(node, b, &x, positions.as_ref(), &cos, &sin)
}

/// The operator of `com.microsoft`, whose positions come before the caches.
pub(super) fn microsoft(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, mut positions) = (node.tensor(b, 0)?, node.tensor(b, 1)?);
    let (cos, sin) = (node.tensor(b, 2)?, node.tensor(b, 3)?);
    if positions.held_dims().len() == 1 {
        // One offset, from which the positions count.
        let (batch, length) = (x.dim(0)?, x.dim(if x.rank() == 4 { 2 } else { 1 })?);
        let steps = iota(b, &length, 1, 2, positions.dtype())?;
        let first = b.reshape(&positions, &[1.into(), 1.into()])?;
        let steps = b.add(&steps, &first)?;
        positions = b.expand(&steps, &[batch, length])?;
    }
    rotated(node, b, &x, Some(&positions), &cos, &sin)
}

fn rotated(
    node: &Node<'_>,
    b: &mut Builder,
    x: &Tensor,
    positions: Option<&Tensor>,
    cos: &Tensor,
    sin: &Tensor,
) -> Outcome<Vec<OnnxValue>> {
    // [batch, length, heads, size].
    let rows = match x.rank() {
        4 => b.permute(x, &[0, 2, 1, 3])?,
        3 => {
            let heads = node.int("num_heads", 0)?;
            let width = x.dim(2)?;
            let heads = match (heads, cos.dims().last()) {
                (0, Some(half)) => width.clone() / (half.clone() * 2),
                (heads, _) => heads.into(),
            };
            b.reshape(x, &[x.dim(0)?, x.dim(1)?, heads.clone(), width / heads])?
        }
        _ => fail!("expected a tensor of rank 3 or 4, got {x:?}"),
    };
    let size = rows.dim(3)?;
    let turned = match node.int("rotary_embedding_dim", 0)? {
        0 => size.clone(),
        dim => dim.into(),
    };
    let half = turned.clone() / 2;
    let (cos, sin) = (angles(b, cos, positions)?, angles(b, sin, positions)?);
    let inner = part(b, &rows, 3, 0, turned.clone())?;
    let interleaved = node.flag("interleaved", false)?;
    let (first, second) = if interleaved {
        let dims = inner.dims();
        let pairs = b.reshape(&inner, &[dims[0].clone(), dims[1].clone(), dims[2].clone(), half.clone(), 2.into()])?;
        (item(b, &pairs, 4, 0)?, item(b, &pairs, 4, 1)?)
    } else {
        (part(b, &inner, 3, 0, half.clone())?, part(b, &inner, 3, half, turned.clone())?)
    };
    let (a, c) = (b.mul(&first, &cos)?, b.mul(&second, &sin)?);
    let real = b.sub(&a, &c)?;
    let (a, c) = (b.mul(&first, &sin)?, b.mul(&second, &cos)?);
    let imaginary = b.add(&a, &c)?;
    let mut y = if interleaved {
        let (real, imaginary) = (b.unsqueeze_dims(&real, &[4])?, b.unsqueeze_dims(&imaginary, &[4])?);
        let pairs = b.cat(&[real, imaginary], 4)?;
        b.reshape(&pairs, inner.dims())?
    } else {
        b.cat(&[real, imaginary], 3)?
    };
    if turned != size {
        let rest = part(b, &rows, 3, turned, size)?;
        y = b.cat(&[y, rest], 3)?;
    }
    let y = if x.rank() == 4 { b.permute(&y, &[0, 2, 1, 3])? } else { b.reshape(&y, x.dims())? };
    Ok(vec![y.into()])
}

/// Cosines or sines of `[batch, length, 1, half]`.
fn angles(b: &mut Builder, cache: &Tensor, positions: Option<&Tensor>) -> Outcome<Tensor> {
    let Some(positions) = positions else {
        require!(cache.rank() == 3, "without positions the caches must be [batch, length, half], got {cache:?}");
        return b.unsqueeze_dims(cache, &[2]);
    };
    require!(cache.rank() == 2, "with positions the caches must be [positions, half], got {cache:?}");
    let [batch, length] = positions.dims() else {
        fail!("expected positions [batch, length], got {positions:?}")
    };
    let list = b.reshape(positions, &[Expr::product(positions.dims())])?;
    let rows = b.select(cache, 0, &list)?;
    b.reshape(&rows, &[batch.clone(), length.clone(), 1.into(), cache.dim(1)?])
}
