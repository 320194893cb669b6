//! Programs of several calls, with what PyTorch computes for them, written by `scripts/random-programs.py`.

mod check;
mod departures;
mod flat_call;
mod interpret;
mod literal;
mod program;
mod reader;

pub use check::{check, check_definitions, check_gradients};
pub use departures::{DEPARTURES, Departure};
pub use program::Program;
pub use reader::{ProgramError, read};
