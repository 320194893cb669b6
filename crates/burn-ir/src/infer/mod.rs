//! Shapes and dtypes of results: the only inference, and the source of every user-facing shape error.

mod attention;
mod fft;
mod index;
mod interpolate;
mod layout;
mod linalg;
mod matmul;
mod norm;
mod operation;
mod quantization;
mod recurrent;
mod reduce;
mod require;
mod window;

pub use operation::output_specs;
