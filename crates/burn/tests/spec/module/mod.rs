//! Modules, their configs and records.

mod config;
mod derived;
mod record;
