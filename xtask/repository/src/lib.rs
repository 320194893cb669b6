//! Files, packages and programs of this repository, for its tools.

mod code;
mod outcome;
pub mod packages;
pub mod process;
mod rust_file;
pub mod rustdoc_json;
mod words;
pub mod workspace;

pub use code::code;
pub use outcome::{Findings, Outcome, exit_code, report};
pub use rust_file::{RustFile, rust_files};
pub use words::{name_at, words};
