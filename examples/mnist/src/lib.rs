//! Training on handwritten digits with what the learner offers.

pub mod data;
pub mod model;
pub mod training;
