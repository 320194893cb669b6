//! Weights that are computed from other parameters.

mod spectral_norm;
mod weight_layer;
mod weight_norm;

pub use spectral_norm::{SpectralNorm, SpectralNormConfig, SpectralNormRecord};
pub use weight_layer::WeightLayer;
pub use weight_norm::{WeightNorm, WeightNormConfig, WeightNormDim, WeightNormRecord};
