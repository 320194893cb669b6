//! The conformance suite on LibTorch: families of operations on the backend and under every decorator,
//! gradients, random calls.

mod backends;
mod fuzz;
mod gradients;
