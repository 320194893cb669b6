//! Neural network layers and loss functions.
//!
//! A layer has a config, which is made with `new`, changed with `with_..` and turned into the layer with
//! `init`. A layer with parameters takes a device there; the parameters are initialized at their first use.
//! Every layer has a `forward`; there is no trait for it.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod activation;
mod channel_shuffle;
pub mod conv;
mod display;
mod dropout;
mod embedding;
mod fold4d;
mod input;
pub mod interpolate;
mod linear;
pub mod loss;
mod norm;
pub mod padding;
mod pixel_shuffle;
pub mod pool;
mod spatial;
mod unfold4d;

pub use activation::*;
pub use burn_core::module::Initializer;
pub use channel_shuffle::{ChannelShuffle, ChannelShuffleConfig};
pub use dropout::{Dropout, DropoutConfig};
pub use embedding::{Embedding, EmbeddingConfig, EmbeddingRecord};
pub use fold4d::{Fold4d, Fold4dConfig};
pub use interpolate::{
    Interpolate1d, Interpolate1dConfig, Interpolate2d, Interpolate2dConfig, Interpolate3d,
    Interpolate3dConfig, InterpolateMode, Upsample, UpsampleConfig,
};
pub use linear::{Linear, LinearConfig, LinearRecord};
pub use norm::{
    BatchNorm, BatchNormConfig, BatchNormRecord, GroupNorm, GroupNormConfig, GroupNormRecord, InstanceNorm,
    InstanceNormConfig, InstanceNormRecord, LayerNorm, LayerNormConfig, LayerNormRecord, LocalResponseNorm,
    LocalResponseNormConfig, RmsNorm, RmsNormConfig, RmsNormRecord,
};
pub use padding::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d, PaddingMode};
pub use pixel_shuffle::{PixelShuffle, PixelShuffleConfig, PixelUnshuffle, PixelUnshuffleConfig};
pub use unfold4d::{Unfold4d, Unfold4dConfig};
