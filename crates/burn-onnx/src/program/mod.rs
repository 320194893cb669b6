//! Recorded models: calls with symbolic sizes, from which source is generated and which run on their own.

mod record;
#[cfg(feature = "run")]
mod run;
mod uses;

pub use record::{Program, ProgramOutput};
