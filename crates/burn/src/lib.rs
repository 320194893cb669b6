//! Tensor library and deep-learning framework: one dependency, with features for backends, training and datasets.
//!
//! Re-exports the crates `burn-tensor`, `burn-nn`, `burn-optim`, `burn-train` and others, each of which can be used on its own.
//!
//! ```
//! use burn::backend::{Autodiff, NdArray};
//! use burn::prelude::*;
//!
//! let device = Default::default();
//! let x = Tensor::<Autodiff<NdArray>, 1>::from_data([1.0, 2.0, 3.0], &device).require_grad();
//! let gradients = x.clone().powf_scalar(2.0).sum().backward();
//! let gradient = x.grad(&gradients).expect("the sum depends on x");
//! assert_eq!(gradient.into_data(), TensorData::from([2.0_f32, 4.0, 6.0]));
//! ```
#![cfg_attr(not(feature = "std"), no_std)]

// Derived code names this crate like any other crate does.
extern crate self as burn;

pub mod backend;
#[cfg(feature = "dataset")]
pub mod data;
pub mod prelude;
#[cfg(feature = "server")]
pub mod server;

pub use burn_core::{config, module, record, weights};
pub use burn_nn as nn;
#[cfg(feature = "optim")]
pub use burn_optim as optim;
#[cfg(feature = "optim")]
pub use burn_optim::lr_scheduler;
pub use burn_tensor as tensor;
#[cfg(feature = "train")]
pub use burn_train as train;
#[cfg(feature = "vision")]
pub use burn_vision as vision;
