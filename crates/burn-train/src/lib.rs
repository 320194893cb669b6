//! The training loop: metrics, logs, checkpoints that survive a kill, and a dashboard.

pub mod checkpoint;
pub mod history;
pub mod logger;
pub mod metric;
pub mod renderer;
mod split;

pub use split::Split;
