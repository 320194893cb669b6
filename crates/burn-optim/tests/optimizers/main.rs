//! Optimizers and schedulers: their steps, their state, and PyTorch's results.

mod average;
mod groups;
mod mixed_precision;
mod optimizer;
mod parity;
mod without_gradients;
