//! Transformer encoder and decoder (Vaswani et al. 2017), and their feed-forward network.

mod activation;
mod decoder;
mod decoder_input;
mod decoder_layer;
mod encoder;
mod encoder_input;
mod encoder_layer;
mod feed_forward;
mod layer_config;
mod stack;
mod stack_config;
mod sublayer;

pub use activation::FeedForwardActivation;
pub use decoder::{
    TransformerDecoder, TransformerDecoderAutoregressiveCache, TransformerDecoderConfig,
    TransformerDecoderRecord,
};
pub use decoder_input::TransformerDecoderInput;
pub use decoder_layer::{
    TransformerDecoderLayer, TransformerDecoderLayerAutoregressiveCache, TransformerDecoderLayerRecord,
};
pub use encoder::{
    TransformerEncoder, TransformerEncoderAutoregressiveCache, TransformerEncoderConfig,
    TransformerEncoderRecord,
};
pub use encoder_input::TransformerEncoderInput;
pub use encoder_layer::{TransformerEncoderLayer, TransformerEncoderLayerRecord};
pub use feed_forward::{
    PositionWiseFeedForward, PositionWiseFeedForwardConfig, PositionWiseFeedForwardRecord,
};
