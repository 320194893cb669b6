//! The methods and functions that give an error as a value, each with random arguments.

mod calls;
mod derivatives;
mod dynamic;
mod elementwise;
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
mod table;

pub use table::{check_gradient, check_method, check_refusal, gradients, methods, refusals};
