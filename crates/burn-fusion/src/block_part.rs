//! Part that an operation takes in blocks of one backend.

use crate::slot::Slot;
use crate::step::Inner;
use burn_backend::{FusionClass, HasSpec, Operation};
use std::sync::Arc;

/// Part that an operation takes in blocks of one backend, which may refuse heads and folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPart {
    /// Each result element depends on the operand elements at the same index.
    Elementwise,
    /// Broadcast: the operand, repeated.
    Repeat,
    /// Reduction over this many trailing dimensions.
    Fold(usize),
    /// Matrix product or convolution that a block may start with; the steps read its result.
    Head,
    /// Not fusible: the operation runs by itself.
    Alone,
}

/// Returns the part that `op` takes in blocks of this backend.
pub fn block_part(op: &Operation<Arc<Slot>>, inner: Inner) -> BlockPart {
    match op.traits().fusion {
        FusionClass::Elementwise => BlockPart::Elementwise,
        FusionClass::Repeat => BlockPart::Repeat,
        FusionClass::Head(kind) if inner.takes_head(kind) => BlockPart::Head,
        FusionClass::Fold => fold(op, inner),
        FusionClass::Head(_) | FusionClass::Alone => BlockPart::Alone,
    }
}

/// The block folds trailing dimensions of its rows, as far as the backend can.
fn fold(op: &Operation<Arc<Slot>>, inner: Inner) -> BlockPart {
    let Some(dims) = op.reduced_dims() else { return BlockPart::Alone };
    let spec = op.first().spec();
    let (rank, count) = (spec.shape.rank(), dims.len());
    let is_last = dims.iter().all(|&dim| dim + count >= rank);
    let (kept, row) = spec.shape.split_at(rank - count);
    let product = |sizes: &[usize]| sizes.iter().product();
    let fits = || inner.folds(spec.dtype, product(kept), product(row));
    if is_last && fits() { BlockPart::Fold(count) } else { BlockPart::Alone }
}
