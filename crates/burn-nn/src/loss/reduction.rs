use burn_core::config::Config;
use burn_core::tensor::{Backend, Tensor};

/// Reduction of the losses per element to one value. PyTorch's `reduction='none'` is the method
/// `forward_no_reduction` of a loss.
#[derive(Config, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Mean of the losses.
    Mean,
    /// Sum of the losses.
    Sum,
    /// Sum of the losses divided by the batch size, the size of dimension 0. PyTorch:
    /// `reduction='batchmean'`.
    BatchMean,
    /// The default of the loss: the mean, unless its documentation says otherwise.
    Auto,
}

impl Reduction {
    pub(super) fn reduce<B: Backend, const D: usize>(self, losses: Tensor<B, D>) -> Tensor<B, 1> {
        match self {
            Reduction::Mean | Reduction::Auto => losses.mean(),
            Reduction::Sum => losses.sum(),
            Reduction::BatchMean => {
                let batch = losses.dims().first().copied().unwrap_or(1);
                losses.sum() / batch as f64
            }
        }
    }
}
