//! Recorded models: calls with symbolic sizes, from which source is generated and which run on their own.

#[cfg(feature = "run")]
mod frame;
#[cfg(any(feature = "generate", feature = "run"))]
mod passes;
#[cfg(feature = "run")]
mod plan;
mod record;
#[cfg(feature = "run")]
mod recorder;
#[cfg(feature = "run")]
mod repeat;
#[cfg(feature = "run")]
mod tape;
#[cfg(feature = "run")]
mod tapes;
mod uses;

#[cfg(feature = "run")]
pub(crate) use plan::Plan;
pub use record::{Program, ProgramOutput};
