use super::require::{Result, accepted, argument, dim_of, dims_of, indices_of, require};
use crate::OpErrorKind as Kind;
use crate::{DType, Dims, Outputs, ReduceOp, TensorSpec};
use alloc::format;

pub fn reduce(op: ReduceOp, x: &TensorSpec, dims: &Dims) -> Result<TensorSpec> {
    accepted(|dtype| op.accepts(dtype), x)?;
    dims_of(dims, x)?;
    let mut spec = x.clone();
    for &dim in dims.iter() {
        require(op.has_identity() || x.shape[dim] > 0, || Kind::Empty { dim, shape: x.shape.clone() })?;
        spec.shape[dim] = 1;
    }
    Ok(spec)
}

/// Infers the spec of an extreme value along `dim`, whose index has the dtype `index`.
pub fn extreme(x: &TensorSpec, dim: usize, index: DType) -> Result<TensorSpec> {
    let size = x.shape[dim_of(dim, x)?];
    indices_of(size, index)?;
    require(size > 0, || Kind::Empty { dim, shape: x.shape.clone() })?;
    Ok(TensorSpec { shape: x.shape.with(dim, 1), dtype: x.dtype })
}

pub fn with_indices(value: TensorSpec, index: DType) -> Outputs<TensorSpec> {
    let indices = TensorSpec { shape: value.shape.clone(), dtype: index };
    Outputs::Two(value, indices)
}

/// Infers the specs of a sort along `dim`: values, and indices of dtype `index`.
pub fn sorted(x: &TensorSpec, dim: usize, index: DType) -> Result<Outputs<TensorSpec>> {
    indices_of(x.shape[dim_of(dim, x)?], index)?;
    Ok(with_indices(x.clone(), index))
}

pub fn topk(x: &TensorSpec, k: usize, dim: usize, index: DType) -> Result<Outputs<TensorSpec>> {
    let size = x.shape[dim_of(dim, x)?];
    indices_of(size, index)?;
    argument(k <= size, || format!("k = {k} is more than dimension {dim} of {:?} has: {size}", x.shape))?;
    Ok(with_indices(TensorSpec { shape: x.shape.with(dim, k), dtype: x.dtype }, index))
}
