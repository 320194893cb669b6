//! Results and gradients that PyTorch computed, on every backend.

mod operations;
mod programs;
