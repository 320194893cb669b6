//! Modules, configurations and records, as programs use them.

mod accepted;
mod config;
mod display;
mod models;
mod module;
mod quantized_record;
mod recorder;
