//! Normalisation over the last dimension.

use burn_derive::Operands;
use serde::{Deserialize, Serialize};

/// Arguments of layer normalization, `(x - mean) / sqrt(variance + epsilon) weight + bias` over the last
/// dimension, with the variance of all its elements (Ba et al., 2016).
///
/// `weight` and `bias` have the length of the last dimension; 1 and 0 where they are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct LayerNormArgs<T> {
    pub x: T,
    pub weight: Option<T>,
    pub bias: Option<T>,
    pub epsilon: f64,
}

/// Arguments of the gradient of a layer norm by its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Operands)]
pub struct LayerNormGradArgs<T> {
    /// Gradient of the output.
    pub grad: T,
    pub x: T,
    pub weight: Option<T>,
    pub epsilon: f64,
}
