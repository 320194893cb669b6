//! Regression of a number on a few measurements: from a table to a trained network.
//!
//! [`table`] has the data, [`model`] the network, [`training`] the run and what it reached.

pub mod model;
pub mod table;
pub mod training;
