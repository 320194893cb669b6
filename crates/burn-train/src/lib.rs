//! The training loop: metrics, logs, checkpoints that survive a kill, and a dashboard.

pub mod history;
pub mod logger;
pub mod metric;
mod split;

pub use split::Split;
