//! Backends as objects: one concrete type for all of them.
//!
//! Code written against [`Dynamic`] is compiled once, in its own crate, instead of once per program: the
//! gradient rules and the tape of autodiff, the queue and the planner of fusion. Backends selected at run
//! time use it too.

mod backend;
mod object;
mod wrap;

pub use backend::Dynamic;
pub use object::{BackendObject, BoxFuture, DynamicDevice, DynamicTensor};
pub use wrap::{DynamicCalls, Of, object_of};
