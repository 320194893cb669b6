//! Optimizers and schedulers: their steps, their state, and PyTorch's results.

mod optimizer;
mod torch;
