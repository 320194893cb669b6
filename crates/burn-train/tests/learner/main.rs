//! The learner with a small model, a real optimizer and real files.

mod accumulation;
mod artifacts;
mod bad_input;
#[path = "../fixture/mod.rs"]
mod fixture;
mod interrupt;
mod not_a_number;
mod precision;
mod renderer;
mod scheduler;
