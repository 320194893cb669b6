use super::require::{Result, argument, broadcast_shapes, numeric, require, same_dtype};
use crate::OpErrorKind as Kind;
use crate::{Shape, TensorSpec};
use alloc::boxed::Box;
use alloc::format;

#[allow(clippy::wildcard_enum_match_arm)] // Kinds of errors, no operations.
pub fn matmul(lhs: &TensorSpec, rhs: &TensorSpec) -> Result<TensorSpec> {
    same_dtype(numeric(lhs)?, rhs)?;
    let (left, right) = (&lhs.shape, &rhs.shape);
    argument(left.rank() >= 2 && right.rank() >= 2, || {
        format!("needs matrices (rank 2 or more), found {left:?} and {right:?}")
    })?;
    let ([l_batch @ .., rows, inner], [r_batch @ .., depth, cols]) = (&left[..], &right[..]) else {
        unreachable!("rank was checked")
    };
    require(inner == depth, || Kind::Inner { lhs: left.clone(), rhs: right.clone() })?;
    let batch =
        broadcast_shapes(&Shape::from(l_batch), &Shape::from(r_batch)).map_err(|kind| match *kind {
            // The whole shapes are what the caller knows; the dimension is the same.
            Kind::Broadcast { dim, .. } => {
                Box::new(Kind::Broadcast { lhs: left.clone(), rhs: right.clone(), dim })
            }
            other => Box::new(other),
        })?;
    let shape = batch.iter().copied().chain([*rows, *cols]).collect();
    Ok(TensorSpec { shape, dtype: lhs.dtype })
}
