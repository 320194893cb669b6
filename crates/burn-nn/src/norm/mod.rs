//! Normalization layers.

mod batch;
mod group;
mod instance;
mod layer;
mod local_response;
mod rms;
mod wrapper;

pub use batch::{BatchNorm, BatchNormConfig, BatchNormRecord};
pub use group::{GroupNorm, GroupNormConfig, GroupNormRecord};
pub use instance::{InstanceNorm, InstanceNormConfig, InstanceNormRecord};
pub use layer::{LayerNorm, LayerNormConfig, LayerNormRecord};
pub use local_response::{LocalResponseNorm, LocalResponseNormConfig};
pub use rms::{RmsNorm, RmsNormConfig, RmsNormRecord};
pub use wrapper::{Normalization, NormalizationConfig, NormalizationRecord};
