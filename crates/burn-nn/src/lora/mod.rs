//! Low-rank adaptation (LoRA; Hu et al. 2021): fine-tuning of a few new parameters beside frozen weights.
//!
//! A [`Linear`](crate::Linear) has a slot for an adapter, so every layer and model with linear layers can be
//! adapted, attention among them: [`LoraConfig::apply`] adds adapters and freezes what was there, [`merge`]
//! adds them to the weights for inference, [`record`] and [`load`] keep them apart from the model. See
//! decision 30.
//!
//! ```
//! use burn::backend::NdArray;
//! use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig};
//! use burn::nn::lora::{self, LoraConfig};
//!
//! let device = Default::default();
//! let base: MultiHeadAttention<NdArray> = MultiHeadAttentionConfig::new(64, 4).init(&device);
//! let targets = ["query", "value"].map(String::from).to_vec();
//! let adapted = LoraConfig::new(8).with_alpha(16.0).with_targets(targets).apply(base.clone());
//!
//! let saved = lora::record(&adapted);
//! let loaded = lora::load(base, saved);
//! let merged = lora::merge(loaded);
//! assert!(merged.query.lora.adapter().is_some() && merged.key.lora.adapter().is_none());
//! ```

mod adapter;
mod config;
mod merge;
mod record;
mod slot;

pub use adapter::{LoraAdapter, LoraAdapterRecord};
pub use config::LoraConfig;
pub use merge::{merge, remove, unmerge};
pub use record::{LoraRecord, SavedAdapter, load, record, try_load};
pub use slot::Lora;
