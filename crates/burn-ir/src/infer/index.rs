use super::require::{Result, accepted, argument, dim_of, ints, same_dtype, same_shape};
use crate::{IndexUpdate, TensorSpec};
use alloc::format;

/// Checks that `indices` name elements of `x` along `dim`.
fn places(x: &TensorSpec, dim: usize, indices: &TensorSpec) -> Result<()> {
    ints(indices.dtype)?;
    dim_of(dim, x)?;
    let (own, at) = (&x.shape, &indices.shape);
    argument(own.rank() == at.rank(), || {
        format!("indices {at:?} need the rank of the tensor {own:?}: {} and {}", at.rank(), own.rank())
    })?;
    let beyond = (0..own.rank()).find(|&d| d != dim && at[d] > own[d]);
    argument(beyond.is_none(), || {
        let d = beyond.unwrap_or_default();
        format!("indices {at:?} reach beyond the tensor {own:?} at dimension {d}: {} and {}", at[d], own[d])
    })
}

pub fn gather(x: &TensorSpec, dim: usize, indices: &TensorSpec) -> Result<TensorSpec> {
    places(x, dim, indices)?;
    Ok(TensorSpec { shape: indices.shape.clone(), dtype: x.dtype })
}

pub fn scatter(
    x: &TensorSpec,
    dim: usize,
    indices: &TensorSpec,
    value: &TensorSpec,
    update: IndexUpdate,
) -> Result<TensorSpec> {
    accepted(|dtype| update.accepts(dtype), x)?;
    places(x, dim, indices)?;
    same_dtype(x, value)?;
    same_shape("indices and value", &indices.shape, &value.shape)?;
    Ok(x.clone())
}

pub fn select(x: &TensorSpec, dim: usize, indices: &TensorSpec) -> Result<TensorSpec> {
    ints(indices.dtype)?;
    dim_of(dim, x)?;
    argument(indices.shape.rank() == 1, || {
        format!("indices {:?} for dimension {dim} of {:?} are no list (rank 1)", indices.shape, x.shape)
    })?;
    Ok(TensorSpec { shape: x.shape.with(dim, indices.shape[0]), dtype: x.dtype })
}

pub fn select_assign(
    x: &TensorSpec,
    dim: usize,
    indices: &TensorSpec,
    value: &TensorSpec,
    update: IndexUpdate,
) -> Result<TensorSpec> {
    accepted(|dtype| update.accepts(dtype), x)?;
    let part = select(x, dim, indices)?;
    same_dtype(x, value)?;
    same_shape("selected part and value", &part.shape, &value.shape)?;
    Ok(x.clone())
}
