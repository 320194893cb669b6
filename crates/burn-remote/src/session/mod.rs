//! The server's part of a session: requests in, replies out, whatever carries them.

mod budget;
mod catch_panic;
mod check;
mod download;
mod limits;
#[allow(clippy::module_inception, reason = "a file is called after the type in it")]
mod session;
mod tensors;
mod upload;

pub use budget::Budget;
pub use limits::Limits;
pub use session::{Outlet, Session, Step};
