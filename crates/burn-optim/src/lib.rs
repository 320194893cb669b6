//! Optimizers, gradient clipping and learning-rate schedulers.
//!
//! An [`Optimizer`] takes a module and its gradients, and returns the module after one step. The update of
//! one parameter is an [`UpdateRule`], which is generic over neither module nor backend and is compiled once.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod accumulator;
mod adam;
mod adamw;
mod adaptor;
mod arithmetic;
mod clipping;
mod collect;
mod exact;
mod formula;
mod gradients_params;
pub mod lr_scheduler;
pub mod momentum;
mod optimizer;
mod param_state;
mod record;
mod rms_prop;
mod rule;
mod sgd;
mod update;
mod weight_decay;

pub use accumulator::GradientsAccumulator;
pub use adam::{Adam, AdamConfig};
pub use adamw::{AdamW, AdamWConfig};
pub use adaptor::OptimizerAdaptor;
pub use clipping::GradientClippingConfig;
pub use gradients_params::GradientsParams;
pub use momentum::MomentumConfig;
pub use optimizer::Optimizer;
pub use param_state::ParamState;
pub use record::OptimizerRecord;
pub use rms_prop::{RmsProp, RmsPropConfig};
pub use rule::UpdateRule;
pub use sgd::{Sgd, SgdConfig};
pub use weight_decay::WeightDecayConfig;

/// Tensors of any backend, which an [`UpdateRule`] computes with, and operations on them.
pub mod dynamic {
    pub use burn_backend::dynamic::{Dynamic, DynamicTensor};
    pub use burn_backend::{BinaryOp, UnaryOp, ops};
}

/// Learning rate.
pub type LearningRate = f64;
