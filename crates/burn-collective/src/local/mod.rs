//! Ranks that are threads of one process.

mod engine;
mod hub;
mod inbox;
mod run;

pub use run::Local;
