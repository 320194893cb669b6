//! Server that executes the operations of remote programs: see the book's page on remote computation.

#[doc(inline)]
pub use burn_remote::server::*;
