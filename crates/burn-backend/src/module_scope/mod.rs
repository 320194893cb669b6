//! Module that the calls of a thread belong to: layers, parameters and the tape say it, profilers ask.
//!
//! A call belongs to the module whose parameter was read last in the layer that runs, and after that layer to
//! the module that holds it. Nothing is kept until a profiler calls [`watch`]: until then each of these
//! functions is one atomic load. Without the standard library nothing is ever kept.

mod calls;
mod guard;
#[cfg(not(feature = "std"))]
mod nothing_kept;
#[cfg(feature = "std")]
mod parameter_paths;
mod scope;
mod state;
#[cfg(feature = "std")]
mod thread;
mod walk;

#[cfg(not(feature = "std"))]
use nothing_kept::{parameter_paths, thread};

pub use calls::{current, read_parameter, resume, rise};
pub use guard::{ScopeGuard, backward, layer, span, update};
pub use scope::{ModuleScope, Phase};
pub use thread::{is_watched, watch};
pub use walk::ParameterWalk;
