//! Layers whose weights are split over ranks.

mod column_linear;
mod cross_entropy;
mod embedding;
mod multi_head_attention;
mod row_linear;
mod split_weight;

pub(crate) use split_weight::{compute, compute_alone};

pub use column_linear::ColumnParallelLinear;
pub use cross_entropy::ParallelCrossEntropy;
pub use embedding::ParallelEmbedding;
pub use multi_head_attention::ParallelMultiHeadAttention;
pub use row_linear::RowParallelLinear;
