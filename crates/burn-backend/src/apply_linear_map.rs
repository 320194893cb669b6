use crate::dynamic::DynamicTensor;
use crate::{Backend, LinearMapError, LinearMapRef};

/// Computes `map` for a tensor of `B`, untracked: [`Backend::linear_map`] of a leaf.
///
/// # Errors
/// Those of the map.
pub fn apply_linear_map<B: Backend>(map: &LinearMapRef, x: B::Tensor) -> Result<B::Tensor, LinearMapError> {
    map.apply(DynamicTensor::new::<B>(x)).map(DynamicTensor::into_inner::<B>)
}
