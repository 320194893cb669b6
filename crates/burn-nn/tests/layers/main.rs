//! Layers and losses agree with PyTorch, forward and backward, and print as documented.

mod display;
mod fixture;
mod layers;
mod losses;
mod norms;
mod parity;
