use burn_core::config::Config;
use burn_core::tensor::{Backend, Tensor};

/// How the losses of elements become one.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// What is usual for the loss: the mean, unless its documentation says otherwise.
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
