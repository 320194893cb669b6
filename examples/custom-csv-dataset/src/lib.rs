//! A dataset of one's own: the rows of a CSV file, from the file to the batch.
//!
//! [`PatientsDataset`] reads the file and implements `Dataset`, [`PatientBatcher`] makes tensors of its
//! items, and [`regression`] fits a linear model to them.

mod batcher;
mod patients;
pub mod regression;

pub use batcher::{PatientBatch, PatientBatcher};
pub use patients::{Patient, PatientsDataset, embedded_file};
