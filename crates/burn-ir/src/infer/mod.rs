//! Shapes and dtypes of results: the only inference, and the source of every user-facing shape error.

pub(crate) mod attention;
pub(crate) mod fft;
pub(crate) mod index;
pub(crate) mod interpolate;
pub(crate) mod layout;
pub(crate) mod linalg;
pub(crate) mod matmul;
pub(crate) mod norm;
pub(crate) mod quantization;
pub(crate) mod recurrent;
pub(crate) mod reduce;
pub(crate) mod require;
pub(crate) mod window;
