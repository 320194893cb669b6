//! Neural network layers and loss functions.
//!
//! A layer has a config, which is made with `new`, changed with `with_..` and turned into the layer with
//! `init`. A layer with parameters takes a device there; the parameters are initialized at their first use.
//! Every layer has a `forward` method; [`Forward`] is the trait of those that [`Sequential`] composes.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod activation;
mod alpha_dropout;
pub mod attention;
mod bilinear;
mod channel_shuffle;
pub mod conv;
mod display;
mod dropout;
mod embedding;
mod embedding_bag;
mod embedding_lookup;
mod feature_dropout;
mod fold4d;
mod gaussian_noise;
mod half_precision;
mod input;
pub mod interpolate;
mod linear;
pub mod lora;
pub mod loss;
mod norm;
pub mod padding;
mod parametrization;
mod pixel_shuffle;
pub mod pool;
mod positional_encoding;
mod recurrent;
mod rotary_encoding;
mod sequential;
mod size_limits;
mod spatial;
pub mod transformer;
mod unfold4d;

pub use activation::*;
pub use alpha_dropout::{AlphaDropout, AlphaDropoutConfig};
pub use bilinear::{Bilinear, BilinearConfig, BilinearRecord};
pub use burn_core::module::Initializer;
pub use channel_shuffle::{ChannelShuffle, ChannelShuffleConfig};
pub use dropout::{Dropout, DropoutConfig};
pub use embedding::{Embedding, EmbeddingConfig, EmbeddingRecord};
pub use embedding_bag::{EmbeddingBag, EmbeddingBagConfig, EmbeddingBagMode, EmbeddingBagRecord};
pub use feature_dropout::{
    Dropout1d, Dropout1dConfig, Dropout2d, Dropout2dConfig, Dropout3d, Dropout3dConfig,
};
pub use fold4d::{Fold4d, Fold4dConfig};
pub use gaussian_noise::{GaussianNoise, GaussianNoiseConfig};
pub use interpolate::{
    Interpolate1d, Interpolate1dConfig, Interpolate2d, Interpolate2dConfig, Interpolate3d,
    Interpolate3dConfig, InterpolateMode, Upsample, UpsampleConfig,
};
pub use linear::{Linear, LinearConfig, LinearRecord};
pub use norm::*;
pub use padding::{PaddingConfig1d, PaddingConfig2d, PaddingConfig3d, PaddingMode};
pub use parametrization::*;
pub use pixel_shuffle::{PixelShuffle, PixelShuffleConfig, PixelUnshuffle, PixelUnshuffleConfig};
pub use positional_encoding::{PositionalEncoding, PositionalEncodingConfig, PositionalEncodingRecord};
pub use recurrent::*;
pub use rotary_encoding::{RotaryEncoding, RotaryEncodingConfig, RotaryEncodingRecord};
pub use sequential::{Flatten, Forward, Sequential};
pub use unfold4d::{Unfold4d, Unfold4dConfig};
