//! Layers that resize the spatial dimensions of their input.

mod resize;
mod upsample;

pub use burn_core::tensor::module::InterpolateMode;
pub use resize::{
    Interpolate1d, Interpolate1dConfig, Interpolate2d, Interpolate2dConfig, Interpolate3d,
    Interpolate3dConfig,
};
pub use upsample::{Upsample, UpsampleConfig};
