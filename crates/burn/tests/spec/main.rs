//! The specification as programs: one test or more for each promise, named after its row.
// One range for one dim, and ranges that end before the end, are what slices are written with.
#![allow(clippy::single_range_in_vec_init, clippy::reversed_empty_ranges)]

mod autodiff;
mod backend;
mod compiler;
mod counting;
mod dataset;
mod errors;
mod expect;
mod given;
mod given_module;
mod linalg;
mod module;
mod nn;
mod quantization;
mod slopes;
mod tensor;
mod torch;
mod training;
mod tutorial;
