//! A model that is trained on one backend, saved, and trained further on others.

mod model;
mod participant;
mod training;

pub use participant::{Participant, check_all};
