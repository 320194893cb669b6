//! Times every operation: how often it ran, how long it took, how many bytes it had to do with.
//!
//! [`Profile`] goes around any backend, `Profile<NdArray>` or `Autodiff<Profile<NdArray>>`, and programs stay
//! as they are. [`Profile::report`] is a table, [`Profile::finish_trace`] a timeline for `chrome://tracing`
//! and Perfetto. Both list calls by operation and by the path of the module; a [`Span`] names calls outside
//! of layers.
#![deny(clippy::wildcard_enum_match_arm)]

mod call;
mod event;
mod ledger;
mod measure;
mod mode;
mod module_slices;
mod profile;
mod report;
mod span;
mod trace;

pub use event::Event;
pub use mode::{Mode, Synced, Unsynced};
pub use profile::Profile;
pub use report::{Report, Row};
pub use span::Span;
pub use trace::Trace;
