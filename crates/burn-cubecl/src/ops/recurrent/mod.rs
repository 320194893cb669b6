//! Recurrent networks over whole sequences: each step is a product with the recurrent weight and one kernel
//! for the arithmetic of its gates, forward and backward. Nothing is read between steps.

mod backward;
mod formulas;
mod forward;
mod gates;
mod gates_grad;
mod network;
mod unit_offset;

pub use backward::recurrent_grad;
pub use forward::recurrent;
