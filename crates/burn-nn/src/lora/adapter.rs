use crate::{Dropout, DropoutConfig, Initializer};
use burn_core::module::{Module, Param};
use burn_core::tensor::{Backend, Tensor, module};

/// Adapter of a linear layer (Hu et al. 2021): adds `scale (dropout(x) a) b` to its output.
#[derive(Module, Debug)]
pub struct LoraAdapter<B: Backend> {
    /// Projection to the rank, `[d_input, rank]`.
    pub a: Param<Tensor<B, 2>>,
    /// Projection from the rank, `[rank, d_output]`; zeros at first, so that a new adapter changes nothing.
    pub b: Param<Tensor<B, 2>>,
    /// Factor of the result, `alpha / rank`.
    pub scale: f64,
    /// Dropout of the input.
    pub dropout: Dropout,
    /// Whether the product of the adapter is part of the weight of its layer now.
    pub merged: bool,
}

impl<B: Backend> LoraAdapter<B> {
    pub(super) fn new(
        [d_input, d_output]: [usize; 2],
        rank: usize,
        scale: f64,
        dropout: f64,
        device: &B::Device,
    ) -> Self {
        LoraAdapter {
            a: Initializer::TORCH.init([d_input, rank], device),
            b: Initializer::Zeros.init([rank, d_output], device),
            scale,
            dropout: DropoutConfig::new(dropout).init(),
            merged: false,
        }
    }

    /// Computes what the adapter adds to the output of its layer: `[.., d_input]` to `[.., d_output]`.
    #[track_caller]
    pub fn forward<const D: usize>(&self, x: Tensor<B, D>) -> Tensor<B, D> {
        let x = module::linear(self.dropout.forward(x), self.a.val(), None);
        module::linear(x, self.b.val(), None) * self.scale
    }

    /// Returns what the adapter adds to the weight of its layer, `scale a b`, of shape `[d_input, d_output]`.
    pub fn delta(&self) -> Tensor<B, 2> {
        self.a.val().matmul(self.b.val()) * self.scale
    }

    pub(super) fn with_merged(self, merged: bool) -> Self {
        let [a, b] = [self.a, self.b].map(|factor| factor.set_require_grad(!merged));
        LoraAdapter { a, b, merged, ..self }
    }
}
