//! Results of PyTorch in float64, and their gradients. `scripts/signal_fixtures.py` writes the files.

#![allow(clippy::excessive_precision, clippy::approx_constant)]

mod fourier;
mod gradients;
mod stft;
mod stft_two_sided;
mod windows;

pub use fourier::*;
pub use gradients::*;
pub use stft::*;
pub use stft_two_sided::*;
pub use windows::*;
