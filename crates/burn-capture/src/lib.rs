//! Records what a program computes as a list of operations, and runs the list again: on any backend, later,
//! elsewhere.
//!
//! [`Capture`] goes around a backend. Between [`Recording::start`] and [`Recording::finish`], or inside
//! [`capture`], every call of the thread is written down; what comes out is a [`Program`], a value that can
//! be printed, saved, loaded and [replayed](Program::replay).
#![deny(clippy::wildcard_enum_match_arm)]

mod backend;
mod document;
mod error;
mod file;
mod listing;
mod program;
mod recording;
mod replay;
mod rewrite;
mod step;
mod tape;
mod values;

pub use backend::{Capture, CaptureTensor};
pub use error::{CaptureError, ProgramError, ReplayError};
pub use program::Program;
pub use recording::{Recording, capture};
pub use step::{Input, Output, Step, Value};
