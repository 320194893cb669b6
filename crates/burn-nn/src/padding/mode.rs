use super::window::Sides;
use burn_core::config::Config;
use burn_core::tensor::{Backend, PadMode, Tensor, TensorError};

/// Values of the elements that the padding of a convolution layer adds.
#[derive(Config, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaddingMode {
    /// Zeros. PyTorch: `padding_mode="zeros"`.
    #[default]
    Zeros,
    /// Reflection of the input at its edge, which is not repeated. PyTorch: `padding_mode="reflect"`.
    Reflect,
    /// The edge, repeated. PyTorch: `padding_mode="replicate"`.
    Replicate,
    /// Periodic continuation of the input. PyTorch: `padding_mode="circular"`.
    Circular,
}

impl PaddingMode {
    /// Adds elements to the last `N` dimensions of `x`.
    #[track_caller]
    pub(crate) fn pad<B: Backend, const D: usize, const N: usize>(
        self,
        x: Tensor<B, D>,
        sides: Sides<N>,
    ) -> Result<Tensor<B, D>, TensorError> {
        let mode = match self {
            PaddingMode::Zeros => PadMode::from(0.0),
            PaddingMode::Reflect => PadMode::Reflect,
            PaddingMode::Replicate => PadMode::Edge,
            PaddingMode::Circular => PadMode::Circular,
        };
        x.try_pad(sides, mode)
    }
}
