//! Optimizers, gradient clipping and learning-rate schedulers.
//!
//! An [`Optimizer`] takes a module and its gradients, and returns the module after one step. The update of
//! one parameter is an [`UpdateRule`], which is generic over neither module nor backend and is compiled once.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod accumulator;
mod adadelta;
mod adafactor;
mod adagrad;
mod adam;
mod adamax;
mod adamw;
mod adan;
mod adaptor;
mod arithmetic;
mod asgd;
mod averages;
mod clipping;
mod collect;
mod exact;
mod formula;
mod freeze;
mod grad_scaler;
mod gradient_norm;
mod gradients_params;
mod lamb;
mod lbfgs;
mod lion;
pub mod lr_scheduler;
mod master_weight;
mod module_average;
mod module_average_record;
mod module_path;
mod moments;
pub mod momentum;
mod muon;
mod nadam;
mod optimizer;
mod param_state;
mod param_update;
mod parameter_group;
mod parameter_groups;
mod parameter_groups_record;
mod path_pattern;
mod radam;
mod record;
mod rms_prop;
mod rprop;
mod rule;
mod sgd;
mod update;
mod weight_decay;
mod without_gradients;

pub use accumulator::GradientsAccumulator;
pub use adadelta::{Adadelta, AdadeltaConfig};
pub use adafactor::{Adafactor, AdafactorConfig};
pub use adagrad::{Adagrad, AdagradConfig};
pub use adam::{Adam, AdamConfig};
pub use adamax::{Adamax, AdamaxConfig};
pub use adamw::{AdamW, AdamWConfig};
pub use adan::{Adan, AdanConfig};
pub use adaptor::OptimizerAdaptor;
pub use asgd::{Asgd, AsgdConfig};
pub use clipping::GradientClippingConfig;
pub use freeze::{freeze, try_freeze, try_unfreeze, unfreeze};
pub use grad_scaler::{GradScaler, GradScalerConfig, GradScalerRecord};
pub use gradients_params::GradientsParams;
pub use lamb::{Lamb, LambConfig};
pub use lbfgs::{Lbfgs, LbfgsConfig, LbfgsRecord, LineSearch};
pub use lion::{Lion, LionConfig};
pub use module_average::{EmaConfig, ModuleAverage, SwaConfig};
pub use module_average_record::ModuleAverageRecord;
pub use momentum::MomentumConfig;
pub use muon::{Muon, MuonConfig, MuonLrAdjustment};
pub use nadam::{NAdam, NAdamConfig};
pub use optimizer::Optimizer;
pub use param_state::ParamState;
pub use param_update::{ParamUpdate, UpdatedParam};
pub use parameter_group::ParameterGroup;
pub use parameter_groups::ParameterGroups;
pub use parameter_groups_record::ParameterGroupsRecord;
pub use path_pattern::PathPattern;
pub use radam::{RAdam, RAdamConfig};
pub use record::OptimizerRecord;
pub use rms_prop::{RmsProp, RmsPropConfig};
pub use rprop::{Rprop, RpropConfig};
pub use rule::UpdateRule;
pub use sgd::{Sgd, SgdConfig};
pub use weight_decay::WeightDecayConfig;

/// Tensors of any backend, which an [`UpdateRule`] computes with, and operations on them.
pub mod dynamic {
    pub use burn_backend::TypedCalls;
    pub use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
    pub use burn_backend::{BinaryOp, Shape, TensorSpec, UnaryOp, ops};
}

/// Learning rate.
pub type LearningRate = f64;
