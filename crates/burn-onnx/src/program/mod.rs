//! Recorded models: calls with symbolic sizes, from which source is generated and which run on their own.

#[cfg(feature = "run")]
mod frame;
#[cfg(any(feature = "generate", feature = "run"))]
mod passes;
#[cfg(feature = "run")]
mod plan;
mod record;
#[cfg(feature = "run")]
mod repeat;
mod uses;

#[cfg(feature = "run")]
pub(crate) use plan::Plan;
pub use record::{Program, ProgramOutput};
