//! Mixed precision: operations compute in the element type that suits them, tensors keep theirs.
//!
//! Under [`Amp`], products of tensors of `f32` (matrix products, convolutions) run in a half-precision type,
//! sums and normalisations of half-precision tensors run in `f32`, and everything else follows its operands.
//! Results have the element types that they would have without it. Scaling of losses, which `f16` needs for
//! small gradients, belongs to the training loop.
#![deny(clippy::wildcard_enum_match_arm)]

mod amp;
mod policy;

pub use amp::Amp;
/// Precision class of an operation in mixed precision.
pub use burn_backend::PrecisionClass as Role;
pub use policy::{BFloat, Half, Policy};
