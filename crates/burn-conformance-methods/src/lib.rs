//! The methods and functions of tensors that give an error as a value, each with random arguments.
//!
//! They are most of what there is to compile in the suite, and what they call takes its time elsewhere: a
//! crate of its own, which no test asks to be fast.

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
