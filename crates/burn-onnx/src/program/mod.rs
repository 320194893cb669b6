//! Recorded models: calls with symbolic sizes, from which source is generated and which run on their own.

#[cfg(feature = "run")]
mod frame;
// Generated source keeps calls as exporters wrote them, but for two passes.
#[cfg(any(feature = "generate", feature = "run"))]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
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
