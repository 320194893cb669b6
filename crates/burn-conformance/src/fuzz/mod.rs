//! Random calls, most of them wrong: a call is refused with an error that names it, or it runs and gives what
//! was inferred. Nothing panics.

mod call;
mod calls;
mod failures;
mod graph;
mod random;
mod view;

pub use call::{Outcome, check, parse, random_call};
pub(crate) use calls::Calls;
pub use failures::assert_no_failure;
pub use graph::Graph;
pub use random::Random;
pub use view::{View, check_view};
