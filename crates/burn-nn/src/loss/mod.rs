//! Loss functions.

mod binary_cross_entropy;
mod cross_entropy;
mod huber;
mod mse;
mod reduction;
mod weights;

pub use binary_cross_entropy::{
    BinaryCrossEntropyLoss, BinaryCrossEntropyLossConfig, BinaryCrossEntropyLossRecord,
};
pub use cross_entropy::{CrossEntropyLoss, CrossEntropyLossConfig, CrossEntropyLossRecord};
pub use huber::{HuberLoss, HuberLossConfig};
pub use mse::MseLoss;
pub use reduction::Reduction;

/// The former name of [`MseLoss`].
#[deprecated(note = "use `MseLoss`")]
pub type MSELoss = MseLoss;
