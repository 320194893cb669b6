//! The learner with a small model, a real optimizer and real files.

mod accumulation;
mod artifacts;
mod bad_input;
mod fixture;
mod interrupt;
mod renderer;
mod resume;
