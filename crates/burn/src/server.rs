//! Computing for programs elsewhere.

pub use burn_remote::start;
