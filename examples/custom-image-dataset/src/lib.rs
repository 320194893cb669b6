//! A classifier of the images in a folder of one's own.
//!
//! [`images`] is the dataset: it checks the content of a folder and reports errors in it. [`model`] is a
//! small convolutional network, [`training`] the run. [`sample`] writes a folder to start with.

pub mod images;
pub mod model;
pub mod sample;
pub mod training;
