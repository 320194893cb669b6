//! Layers and losses agree with PyTorch, forward and backward.

mod fixture;
mod layers;
mod losses;
mod norms;
