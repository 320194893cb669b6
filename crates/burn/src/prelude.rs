//! Names that most programs import: `use burn::prelude::*`.

#[doc(no_inline)]
pub use crate::config::Config;
#[cfg(feature = "dataset")]
#[doc(no_inline)]
pub use crate::data::dataset::Dataset;
#[doc(no_inline)]
pub use crate::module::{AutodiffModule, Module};
#[doc(no_inline)]
pub use crate::nn;
#[cfg(feature = "optim")]
#[doc(no_inline)]
pub use crate::optim::Optimizer;
#[doc(no_inline)]
pub use crate::tensor::backend::Backend;
// Functions of backends, as `NdArray::float_tanh`.
#[doc(no_inline)]
pub use crate::tensor::ops::TypedCalls as _;
#[doc(no_inline)]
pub use crate::tensor::{Bool, Device, ElementConversion, Float, Int, OneHot, Shape, Tensor, TensorData, s};
