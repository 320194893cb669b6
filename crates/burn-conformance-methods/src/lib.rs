//! The methods and functions of tensors that give an error as a value, each with random arguments.
//!
//! A crate of its own, since no test asks it to be fast: at the optimization level of the suite it would take
//! more time to compile than the suite itself (decision 62).

mod arguments;
mod calls;
mod derivatives;
mod dynamic;
mod elementwise;
mod finish;
mod float;
mod functions;
mod huge;
mod indexed;
mod integer;
mod kinds;
mod layout;
mod linalg;
mod modules;
mod named;
mod numeric;
mod quantized;
mod signal;
pub mod suite;
mod table;

pub use table::{check_gradient, check_method, check_refusal, gradients, methods, refusals};
