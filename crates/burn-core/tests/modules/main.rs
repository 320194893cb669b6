//! Modules, configurations and records, as programs use them.

pub mod accepted;
pub mod config;
mod display;
mod models;
mod module;
mod quantized_record;
mod recorder;
