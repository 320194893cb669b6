//! The conformance suite on LibTorch: families of operations on the leaf and under every decorator,
//! gradients, random calls.

mod backends;
mod fuzz;
mod gradients;
