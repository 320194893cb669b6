use burn_core::config::Config;
use burn_core::tensor::{Backend, Tensor};

/// Reduction of the losses per element to one value.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Mean of the losses.
    Mean,
    /// Sum of the losses.
    Sum,
    /// The default of the loss: the mean, unless its documentation says otherwise.
    Auto,
}

impl Reduction {
    pub(super) fn reduce<B: Backend, const D: usize>(self, losses: Tensor<B, D>) -> Tensor<B, 1> {
        match self {
            Reduction::Mean | Reduction::Auto => losses.mean(),
            Reduction::Sum => losses.sum(),
        }
    }
}
