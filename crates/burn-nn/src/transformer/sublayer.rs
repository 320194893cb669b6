use crate::{Dropout, LayerNorm};
use burn_core::tensor::{Backend, Tensor, TensorError};

/// A residual connection around a part of a transformer layer: `x + dropout(f(norm(x)))` with the norm first,
/// else `norm(x + dropout(f(x)))`.
#[derive(Clone, Copy)]
pub struct Sublayer<'a, B: Backend> {
    pub norm: &'a LayerNorm<B>,
    pub dropout: &'a Dropout,
    pub norm_first: bool,
}

impl<B: Backend> Sublayer<'_, B> {
    /// Applies a sublayer with its residual connection and normalization; `f` is an object so that programs
    /// compile this once.
    pub fn apply(
        self,
        x: Tensor<B, 3>,
        f: &mut dyn FnMut(Tensor<B, 3>) -> Result<Tensor<B, 3>, TensorError>,
    ) -> Result<Tensor<B, 3>, TensorError> {
        let input = if self.norm_first { self.norm.forward(x.clone()) } else { x.clone() };
        let sum = x + self.dropout.forward(f(input)?);
        Ok(if self.norm_first { sum } else { self.norm.forward(sum) })
    }
}

/// Checks that the batch of a transformer is `[batch, length, d_model]`.
pub fn check_width(
    layer: &'static str,
    name: &str,
    dims: [usize; 3],
    d_model: usize,
) -> Result<(), TensorError> {
    if dims[2] == d_model {
        return Ok(());
    }
    Err(TensorError::argument(
        layer,
        format_args!("wrong last dimension of the {name}; expected [batch, length, {d_model}], got {dims:?}"),
    ))
}

/// Checks that a cache has as many layers as the transformer.
pub fn check_layers(layer: &'static str, found: usize, expected: usize) -> Result<(), TensorError> {
    if found == expected {
        return Ok(());
    }
    Err(TensorError::argument(layer, format_args!("the cache is of {found} layers; expected {expected}")))
}
