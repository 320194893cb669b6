//! The specification as programs: one test or more for each promise, named after its row.

mod activation;
mod autodiff;
mod basic;
mod bool;
mod closeness;
mod creation;
mod display;
mod expect;
mod float;
mod given;
mod int;
mod numeric;
mod torch;
