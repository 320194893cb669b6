//! The conformance suite on candle: families of operations on the backend and under every decorator,
//! gradients, random calls.

mod backends;
mod fuzz;
mod gradients;
