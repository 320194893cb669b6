//! Results of PyTorch in float64, and their gradients. `scripts/linalg_fixtures.py` writes the files.

#![allow(clippy::excessive_precision, clippy::approx_constant)]

mod factorizations;
mod functions;
mod systems;

pub use factorizations::*;
pub use functions::*;
pub use systems::*;
