//! Computing for programs elsewhere: see the book's page on remote computation.

pub use burn_remote::server::*;
