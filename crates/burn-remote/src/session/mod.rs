//! The server's part of a session: requests in, replies out, whatever carries them.

mod budget;
mod caught;
mod check;
mod limits;
mod session;
mod tensors;

pub use budget::Budget;
pub use limits::Limits;
pub use session::{Outlet, Session, Step};
