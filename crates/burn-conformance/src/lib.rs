//! Checks that hold for every backend. A backend's test file is one line:
//! `burn_conformance::suite!(my: MyBackend);`.
//!
//! Calls are swept, not listed: every variant of every operation, every element type, every layout in memory
//! and the values that kernels go wrong at, compared with definitions in numbers that lose nothing. Nothing
//! but two shells is generic over the backend; the suite is compiled once.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod again;
mod array;
mod case;
mod checked;
mod expected;
pub mod factorizations;
mod family;
pub mod few_rows;
pub mod fft;
pub mod fused_matmul_add_relu;
pub mod fuzz;
mod gap;
pub mod gradient;
mod input;
pub mod known_gaps;
pub mod large;
mod large_operands;
pub mod library_backend;
mod noise;
pub mod number;
mod operations;
pub mod process;
pub mod process_exit;
pub mod programs;
pub mod room;
mod special;
mod subject;
mod suite;
pub mod support;
pub mod times;
mod tolerance;
mod values;

pub use case::{Case, same_bits};
pub use family::Family;
pub use gap::{Gap, Situation};
pub use input::{Input, MemoryLayout};
pub use noise::noise;
pub use operations::each;
pub use subject::{BRIEF, Subject, message};
pub use suite::{run, runs_alone};
