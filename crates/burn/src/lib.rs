//! Tensor library and deep-learning framework: one dependency, with features for backends, training and
//! datasets.
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
//!
//! # Where things are
//!
//! | for | see | feature |
//! |---|---|---|
//! | names that most programs import | [`prelude`] | |
//! | tensors, their operations and data | [`tensor::Tensor`], [`tensor::TensorData`], [`tensor::linalg`], [`tensor::signal`] | |
//! | activations and functions on images | [`tensor::activation`], [`tensor::module`] | |
//! | layers and losses | [`nn`], [`nn::loss`] | |
//! | models: parameters, `#[derive(Module)]` | [`module`] | |
//! | hyperparameters: `#[derive(Config)]` | [`config`] | |
//! | saving and loading models | [`record`] | |
//! | weights of other frameworks | [`weights`] | |
//! | CPU, GPU and remote backends, gradients, fusion | [`backend`] | one for each backend |
#![cfg_attr(
    feature = "optim",
    doc = "| optimizers, schedulers of the learning rate | [`optim`], [`lr_scheduler`] | `optim` |"
)]
#![cfg_attr(feature = "dataset", doc = "| datasets and data loaders | [`data`] | `dataset` |")]
#![cfg_attr(
    feature = "train",
    doc = "| the training loop, metrics, checkpoints | [`train`], [`train::LearnerBuilder`] | `train` |"
)]
#![cfg_attr(
    feature = "lm",
    doc = "| language models: decoding, chat | [`lm::LanguageModel`], [`lm::TextGenerator`] | `lm` |"
)]
#![cfg_attr(
    feature = "collective",
    doc = "| one model on many devices: communication between ranks | [`collective`] | `collective` |"
)]
#![cfg_attr(feature = "vision", doc = "| augmentation of images | [`vision`] | `vision` |")]
#![cfg_attr(feature = "server", doc = "| the server of remote execution | [`server`] | `server` |")]
//!
//! # Features
//!
//! `default` is `std`, `ndarray`, `autodiff`, `dataset` and `optim`.
//!
//! | feature | adds |
//! |---|---|
#![doc = include_str!("../features.md")]
//!
//! # Guides
//!
//! The book (the folder `burn-book` of the repository; `cargo xtask book` builds it) begins with a first
//! program and has pages on training, saving, GPUs, porting from PyTorch and ONNX.
#![cfg_attr(not(feature = "std"), no_std)]
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

// Derived code names this crate like any other crate does.
extern crate self as burn;

pub mod backend;
#[cfg(feature = "dataset")]
pub mod data;
pub mod prelude;
#[cfg(feature = "server")]
pub mod server;

// Inlined, so that this crate's documentation has a page for every item and its search finds it.
#[cfg(feature = "collective")]
#[doc(inline)]
pub use burn_collective as collective;
#[doc(inline)]
pub use burn_core::{config, module, record, weights};
#[cfg(feature = "lm")]
#[doc(inline)]
pub use burn_lm as lm;
#[doc(inline)]
pub use burn_nn as nn;
#[cfg(feature = "optim")]
#[doc(inline)]
pub use burn_optim as optim;
#[cfg(feature = "optim")]
#[doc(inline)]
pub use burn_optim::lr_scheduler;
#[doc(inline)]
pub use burn_tensor as tensor;
#[cfg(feature = "train")]
#[doc(inline)]
pub use burn_train as train;
#[cfg(feature = "vision")]
#[doc(inline)]
pub use burn_vision as vision;
