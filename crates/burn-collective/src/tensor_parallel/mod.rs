//! Layers whose weights are split over ranks.

mod column_linear;
mod row_linear;
mod split_weight;

pub use column_linear::ColumnParallelLinear;
pub use row_linear::RowParallelLinear;
