//! Multi-head attention, grouped-query attention, cross-attention, and key/value caches for autoregressive
//! decoding.

mod attention_scores;
mod cache;
mod cross;
mod input;
mod mask;
mod multi_head;
mod padding_mask;

pub use cache::MhaCache;
pub use cross::{CrossAttention, CrossAttentionConfig, CrossAttentionRecord};
pub use input::{MhaInput, MhaOutput};
pub(crate) use mask::Masks;
pub use mask::generate_autoregressive_mask;
pub use multi_head::{MultiHeadAttention, MultiHeadAttentionConfig, MultiHeadAttentionRecord};
pub use padding_mask::{GeneratePaddingMask, generate_padding_mask};
