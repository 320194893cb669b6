//! Gradients.

mod anomaly;
mod extension;
mod first;
mod higher;
mod segment;
