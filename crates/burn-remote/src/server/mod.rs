//! Computing for programs elsewhere.

mod accept;
mod admit;
mod connection;
mod entry;
mod error;
mod greeting;
mod guest_stream;
mod guests;
mod options;
#[allow(clippy::module_inception, reason = "a file is called after the type in it")]
mod server;
mod sessions;
mod start;
mod tls;
mod worker;

pub use error::ServerError;
pub use options::ServerOptions;
pub use server::{Server, Stats};
pub use start::{start, start_async, start_with, start_with_async};
