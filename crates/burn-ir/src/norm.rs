//! Normalisation over the last dimension.

use serde::{Deserialize, Serialize};

/// Arguments of layer normalization, `(x - mean) / sqrt(variance + epsilon) weight + bias` over the last
/// dimension, with the variance of all its elements (Ba et al., 2016).
///
/// `weight` and `bias` have the length of the last dimension; 1 and 0 where they are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerNormArgs<T> {
    pub x: T,
    pub weight: Option<T>,
    pub bias: Option<T>,
    pub epsilon: f64,
}

/// Arguments of the gradient of a layer norm by its input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerNormGradArgs<T> {
    /// Gradient of the output.
    pub grad: T,
    pub x: T,
    pub weight: Option<T>,
    pub epsilon: f64,
}

impl<T> LayerNormArgs<T> {
    pub fn by_ref(&self) -> LayerNormArgs<&T> {
        let LayerNormArgs { x, weight, bias, epsilon } = self;
        LayerNormArgs { x, weight: weight.as_ref(), bias: bias.as_ref(), epsilon: *epsilon }
    }

    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> LayerNormArgs<U> {
        let LayerNormArgs { x, weight, bias, epsilon } = self;
        LayerNormArgs { x: f(x), weight: weight.map(&mut f), bias: bias.map(f), epsilon }
    }
}

impl<T> LayerNormGradArgs<T> {
    pub fn by_ref(&self) -> LayerNormGradArgs<&T> {
        let LayerNormGradArgs { grad, x, weight, epsilon } = self;
        LayerNormGradArgs { grad, x, weight: weight.as_ref(), epsilon: *epsilon }
    }

    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> LayerNormGradArgs<U> {
        let LayerNormGradArgs { grad, x, weight, epsilon } = self;
        LayerNormGradArgs { grad: f(grad), x: f(x), weight: weight.map(f), epsilon }
    }
}
