//! A classifier of the images in a folder of one's own.
//!
//! [`images`] is the dataset: it checks what a folder holds and says what is wrong with it. [`model`] is a small convolutional
//! network, [`training`] the run. [`sample`] writes a folder to start with.

pub mod images;
pub mod model;
pub mod sample;
pub mod training;
