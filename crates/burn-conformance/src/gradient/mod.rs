//! Gradients of every operation against central differences of its definition.

pub(crate) mod call;
mod calls;
mod closed_form;
mod differentiable;
mod first;
mod functions;
mod second;
mod suite;

pub use call::GradientCall;
pub use calls::calls;
pub use differentiable::Differentiable;
pub(crate) use differentiable::{total, values};
pub use first::tracked_operands;
pub use suite::{same, sweep, sweep_second};
