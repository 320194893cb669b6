//! Blocks of pixels as channels, and back. DepthToSpace and SpaceToDepth since version 1; DepthToSpace has
//! modes since 11.

use crate::builder::Builder;
use crate::error::{Outcome, fail, require};
use crate::translate::Node;
use crate::value::{Expr, OnnxValue, Tensor};

/// The largest side of a block: its square is a number of channels.
const LARGEST: usize = 1 << 16;

fn input(node: &Node<'_>, b: &mut Builder) -> Outcome<(Tensor, usize)> {
    let (x, block) = (node.tensor(b, 0)?, node.int("blocksize", 0)?);
    require!(x.rank() == 4, "expected [batch, channels, height, width], got {x:?}");
    match usize::try_from(block) {
        Ok(block) if (1..=LARGEST).contains(&block) => Ok((x, block)),
        _ => fail!("attribute `blocksize` is out of range; expected 1 to {LARGEST}, got {block}"),
    }
}

pub(super) fn depth_to_space(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, block) = input(node, b)?;
    let [batch, channels, height, width] = x.dims() else { fail!("expected four dimensions") };
    let inner = channels.clone() / (block * block);
    let (batch, height, width, side) = (batch.clone(), height.clone(), width.clone(), Expr::from(block));
    let (sizes, order) = match &node.text("mode", "DCR")?[..] {
        "DCR" => (
            [batch.clone(), side.clone(), side.clone(), inner.clone(), height.clone(), width.clone()],
            [0, 3, 4, 1, 5, 2],
        ),
        "CRD" => (
            [batch.clone(), inner.clone(), side.clone(), side.clone(), height.clone(), width.clone()],
            [0, 1, 4, 2, 5, 3],
        ),
        other => fail!("attribute `mode` must be DCR or CRD, found `{other}`"),
    };
    let parts = b.reshape(&x, &sizes)?;
    let parts = b.permute(&parts, &order)?;
    Ok(vec![b.reshape(&parts, &[batch, inner, height * block, width * block])?.into()])
}

pub(super) fn space_to_depth(node: &Node<'_>, b: &mut Builder) -> Outcome<Vec<OnnxValue>> {
    let (x, block) = input(node, b)?;
    let [batch, channels, height, width] = x.dims() else { fail!("expected four dimensions") };
    let (batch, channels, side) = (batch.clone(), channels.clone(), Expr::from(block));
    let (rows, columns) = (height.clone() / block, width.clone() / block);
    let sizes = [batch.clone(), channels.clone(), rows.clone(), side.clone(), columns.clone(), side];
    let parts = b.reshape(&x, &sizes)?;
    let parts = b.permute(&parts, &[0, 3, 5, 1, 2, 4])?;
    Ok(vec![b.reshape(&parts, &[batch, channels * (block * block), rows, columns])?.into()])
}
