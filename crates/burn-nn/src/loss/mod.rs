//! Loss functions.

mod binary_cross_entropy;
mod cosine_embedding;
mod cross_entropy;
mod ctc;
mod ctc_lattice;
mod difference_loss;
mod focal;
mod gaussian_nll;
mod hinge_embedding;
mod huber;
mod kl_div;
mod known_gradient;
mod l1;
mod linear_cross_entropy;
mod margin_ranking;
mod mse;
mod multi_margin;
mod nll;
mod poisson_nll;
mod reduction;
mod smooth_l1;
mod targets;
mod triplet_margin;
mod weights;

pub use binary_cross_entropy::{
    BinaryCrossEntropyLoss, BinaryCrossEntropyLossConfig, BinaryCrossEntropyLossRecord,
};
pub use cosine_embedding::{CosineEmbeddingLoss, CosineEmbeddingLossConfig};
pub use cross_entropy::{CrossEntropyLoss, CrossEntropyLossConfig, CrossEntropyLossRecord};
pub use ctc::{CtcLoss, CtcLossConfig, CtcLossOptions, ctc_loss, try_ctc_loss};
pub use focal::{FocalLoss, FocalLossConfig};
pub use gaussian_nll::{GaussianNllLoss, GaussianNllLossConfig};
pub use hinge_embedding::{HingeEmbeddingLoss, HingeEmbeddingLossConfig};
pub use huber::{HuberLoss, HuberLossConfig};
pub use kl_div::{KlDivLoss, KlDivLossConfig};
pub use l1::L1Loss;
pub use linear_cross_entropy::{LinearCrossEntropyLoss, LinearCrossEntropyLossConfig};
pub use margin_ranking::{MarginRankingLoss, MarginRankingLossConfig};
pub use mse::MseLoss;
pub use multi_margin::{MultiMarginLoss, MultiMarginLossConfig, MultiMarginLossRecord};
pub use nll::{NllLoss, NllLossConfig, NllLossRecord};
pub use poisson_nll::{PoissonNllLoss, PoissonNllLossConfig};
pub use reduction::Reduction;
pub use smooth_l1::{SmoothL1Loss, SmoothL1LossConfig};
pub use triplet_margin::{TripletMarginLoss, TripletMarginLossConfig};

/// Former name of [`MseLoss`].
#[deprecated(note = "use `MseLoss`")]
pub type MSELoss = MseLoss;
