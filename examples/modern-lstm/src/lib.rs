//! An LSTM of one's own: from a cell to a trained, saved and loaded model.
//!
//! [`cell`] is one step, [`stacked`] goes through sequences in layers and directions, [`model`] predicts the
//! next value of a sequence. The sequences of [`sequence`] are pieces of a real series, [`sunspots`], or
//! drawn, [`oscillations`]. [`training`] has the run, [`baseline`] what it is compared with, and
//! [`inference`] the model at work.

pub mod baseline;
pub mod cell;
pub mod inference;
pub mod model;
pub mod oscillations;
pub mod sequence;
pub mod stacked;
pub mod sunspots;
pub mod training;
