//! Neural network layers and loss functions.
//!
//! A layer has a config, which is made with `new`, changed with `with_..` and turned into the layer with
//! `init`. A layer with parameters takes a device there; the parameters are initialized at their first use.
//! Every layer has a `forward`; there is no trait for it.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod activation;
pub mod attention;
pub mod conv;
mod display;
mod dropout;
mod embedding;
mod input;
mod linear;
pub mod lora;
pub mod loss;
mod norm;
mod padding;
pub mod pool;
mod positional_encoding;
mod rotary_encoding;
pub mod transformer;

pub use activation::*;
pub use burn_core::module::Initializer;
pub use dropout::{Dropout, DropoutConfig};
pub use embedding::{Embedding, EmbeddingConfig, EmbeddingRecord};
pub use linear::{Linear, LinearConfig, LinearRecord};
pub use norm::{
    BatchNorm, BatchNormConfig, BatchNormRecord, GroupNorm, GroupNormConfig, GroupNormRecord, InstanceNorm,
    InstanceNormConfig, InstanceNormRecord, LayerNorm, LayerNormConfig, LayerNormRecord, RmsNorm,
    RmsNormConfig, RmsNormRecord,
};
pub use padding::{PaddingConfig1d, PaddingConfig2d};
pub use positional_encoding::{PositionalEncoding, PositionalEncodingConfig, PositionalEncodingRecord};
pub use rotary_encoding::{RotaryEncoding, RotaryEncodingConfig, RotaryEncodingRecord};
