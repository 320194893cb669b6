//! Names that most programs import: `use burn::prelude::*`.

pub use crate::config::Config;
#[cfg(feature = "dataset")]
pub use crate::data::dataset::Dataset;
pub use crate::module::{AutodiffModule, Module};
pub use crate::nn;
#[cfg(feature = "optim")]
pub use crate::optim::Optimizer;
pub use crate::tensor::backend::Backend;
pub use crate::tensor::{Bool, Device, ElementConversion, Float, Int, Shape, Tensor, TensorData, s};
