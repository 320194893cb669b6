//! Normalization layers.

mod batch;
mod group;
mod instance;
mod layer;
mod rms;

pub use batch::{BatchNorm, BatchNormConfig, BatchNormRecord};
pub use group::{GroupNorm, GroupNormConfig, GroupNormRecord};
pub use instance::{InstanceNorm, InstanceNormConfig, InstanceNormRecord};
pub use layer::{LayerNorm, LayerNormConfig, LayerNormRecord};
pub use rms::{RmsNorm, RmsNormConfig, RmsNormRecord};
