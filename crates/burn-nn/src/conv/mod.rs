//! Convolution layers.

mod conv1d;
mod conv2d;

pub use conv1d::{Conv1d, Conv1dConfig, Conv1dRecord};
pub use conv2d::{Conv2d, Conv2dConfig, Conv2dRecord};
