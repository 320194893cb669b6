//! Random calls, most of them wrong: a call is refused with an error that names it, or it runs and gives what was
//! inferred. Nothing panics.

mod arguments;
mod call;
mod finish;
mod graph;
mod methods;
mod operation;
mod quantization;
mod random;
mod view;

pub use call::{Outcome, check, parse, random_call};
pub use graph::Graph;
pub use methods::{check_gradient, check_method, check_refusal, gradients, methods, refusals};
pub use random::Random;
pub use view::{View, check_view};
