//! The specification as programs: one test or more for each promise, named after its row.
// One range for one dim, and ranges that end before the end, are what slices are written with.
#![allow(clippy::single_range_in_vec_init, clippy::reversed_empty_ranges)]

mod activation;
mod autodiff;
mod backend;
mod basic;
mod bool;
mod closeness;
mod compiler;
mod config;
mod creation;
mod data;
mod decorators;
mod display;
mod expect;
mod extension;
mod extras;
mod facade;
mod float;
mod given;
mod given_module;
mod int;
mod misuse;
mod module;
mod nn;
mod norm;
mod numeric;
mod optim;
mod record;
mod rejected;
mod signal;
mod torch;
mod torch_signal;
mod training;
mod tutorial;
