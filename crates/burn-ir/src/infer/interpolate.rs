//! Other sizes of spatial dimensions.

use super::require::{Result, argument, float, same_shape};
use crate::{Dims, Interpolation, Shape, TensorSpec};
use alloc::format;

/// The most spatial dimensions that backends have kernels for.
const SPATIAL: usize = 2;

pub fn interpolate(x: &TensorSpec, size: &Dims, options: &Interpolation) -> Result<TensorSpec> {
    float(x)?;
    argument((1..=SPATIAL).contains(&size.len()), || {
        format!("needs 1 to {SPATIAL} spatial dimensions, found {} in size {size:?}", size.len())
    })?;
    argument(x.shape.rank() == size.len() + 2, || {
        format!("size {size:?} needs rank {}, found {:?}", size.len() + 2, x.shape)
    })?;
    let factors = &options.factors;
    argument(factors.is_empty() || factors.len() == size.len(), || {
        format!("needs one factor for each spatial dimension or none, found {factors:?} for size {size:?}")
    })?;
    argument(factors.iter().all(|&factor| factor > 0.0 && factor.is_finite()), || {
        format!("factors have to be positive and finite, found {factors:?}")
    })?;
    argument(!x.shape[2..].contains(&0) && !size.contains(&0), || {
        format!("{:?} to {size:?} leaves nothing", x.shape)
    })?;
    let shape = x.shape[..2].iter().chain(size.iter()).copied().collect();
    Ok(TensorSpec { shape, dtype: x.dtype })
}

pub fn grad(grad: &TensorSpec, target: &Shape, options: &Interpolation) -> Result<TensorSpec> {
    let size: Dims = grad.shape.iter().skip(2).copied().collect();
    let target = TensorSpec { shape: target.clone(), dtype: grad.dtype };
    same_shape("gradient and result", &grad.shape, &interpolate(&target, &size, options)?.shape)?;
    Ok(target)
}
