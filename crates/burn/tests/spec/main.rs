//! The specification as programs: one test or more for each promise, named after its row.

mod activation;
mod autodiff;
mod basic;
mod bool;
mod closeness;
mod config;
mod creation;
mod display;
mod expect;
mod float;
mod given;
mod given_module;
mod int;
mod module;
mod numeric;
mod record;
mod torch;
