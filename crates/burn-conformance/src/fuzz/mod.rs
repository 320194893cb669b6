//! Random calls, most of them wrong: a call is refused with an error that names it, or it runs and gives what was
//! inferred. Nothing panics.

mod call;
mod graph;
mod operation;
mod quantization;
mod random;
mod view;

pub use call::{Outcome, check, parse, random_call};
pub use graph::Graph;
pub use random::Random;
pub use view::{View, check_view};
