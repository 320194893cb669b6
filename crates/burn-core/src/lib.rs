//! Configs, modules and records: what models are made of and how they are kept.
//!
//! - [`config`]: options of a module or a program, with defaults, kept as JSON.
//! - [`module`]: [`Module`](module::Module), [`Param`](module::Param), and what walks over them.
//! - [`record`]: what is saved of a module, an optimizer or any value, and the recorders that save it.
//! - [`weights`]: tensors by name, from records and from files of other frameworks, and how modules take
//!   them.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;
// Derived code and the examples of this crate name it like any other crate does.
extern crate self as burn_core;

pub mod config;
pub mod module;
pub mod record;
pub mod weights;

pub use burn_tensor as tensor;
