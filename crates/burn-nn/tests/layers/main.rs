//! Layers and losses agree with PyTorch, forward and backward, and print as documented.

mod display;
mod parity;
mod try_forward;
