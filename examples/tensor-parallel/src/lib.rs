//! A transformer whose layers are split over ranks, trained on sequences of numbers.

mod model;
mod sequences;
mod training;

pub use model::{SplitTransformer, Transformer, TransformerConfig};
pub use sequences::{VOCABULARY, sequences};
pub use training::{TrainingConfig, train};
