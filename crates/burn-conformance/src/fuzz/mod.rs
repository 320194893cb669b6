//! Random calls, most of them wrong: a call is refused with an error that names it, or it runs and gives what was
//! inferred. Nothing panics.

mod arguments;
mod call;
mod methods;
mod operation;
mod random;

pub use call::{Outcome, check, parse, random_call};
pub use methods::{METHODS, check_method};
pub use random::Random;
