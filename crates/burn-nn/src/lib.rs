//! Neural network layers and loss functions.
//!
//! A layer has a config, which is made with `new`, changed with `with_..` and turned into the layer with
//! `init`. A layer with parameters takes a device there; the parameters are initialized at their first use.
//! Every layer has a `forward` method; [`Forward`] is the trait of those that [`Sequential`] composes.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod activation;
mod alpha_dropout;
mod bilinear;
pub mod attention;
pub mod conv;
mod display;
mod dropout;
mod embedding;
mod embedding_bag;
mod embedding_lookup;
mod feature_dropout;
mod gaussian_noise;
mod input;
mod linear;
pub mod lora;
pub mod loss;
mod norm;
mod padding;
mod parametrization;
pub mod pool;
mod sequential;
mod recurrent;
mod positional_encoding;
mod rotary_encoding;
pub mod transformer;

pub use activation::*;
pub use alpha_dropout::{AlphaDropout, AlphaDropoutConfig};
pub use bilinear::{Bilinear, BilinearConfig, BilinearRecord};
pub use burn_core::module::Initializer;
pub use dropout::{Dropout, DropoutConfig};
pub use embedding::{Embedding, EmbeddingConfig, EmbeddingRecord};
pub use embedding_bag::{EmbeddingBag, EmbeddingBagConfig, EmbeddingBagMode, EmbeddingBagRecord};
pub use feature_dropout::{
    Dropout1d, Dropout1dConfig, Dropout2d, Dropout2dConfig, Dropout3d, Dropout3dConfig,
};
pub use gaussian_noise::{GaussianNoise, GaussianNoiseConfig};
pub use linear::{Linear, LinearConfig, LinearRecord};
pub use norm::*;
pub use padding::{PaddingConfig1d, PaddingConfig2d};
pub use parametrization::*;
pub use sequential::{Flatten, Forward, Sequential};
pub use recurrent::*;
pub use positional_encoding::{PositionalEncoding, PositionalEncodingConfig, PositionalEncodingRecord};
pub use rotary_encoding::{RotaryEncoding, RotaryEncodingConfig, RotaryEncodingRecord};
