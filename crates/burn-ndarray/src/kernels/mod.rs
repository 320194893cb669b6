//! Kernels, by family of operations.

pub mod arg_reduce;
#[cfg(feature = "attention")]
pub mod attention;
pub mod binary;
pub mod bounds;
pub mod cast;
pub mod clamp;
pub mod compare;
mod contiguous;
pub mod conv;
pub mod copy;
pub mod create;
pub mod cumulative;
#[cfg(feature = "fourier")]
pub mod fft;
pub mod fused;
pub mod index;
mod index_lists;
pub mod interleave;
#[cfg(feature = "interpolation")]
pub mod interpolate;
pub mod layout;
#[cfg(feature = "linalg")]
pub mod linalg;
pub mod mask;
pub mod math;
pub mod norm;
pub mod order;
pub mod pool;
pub mod positions;
#[cfg(feature = "quantization")]
pub mod quantization;
pub mod radix_keys;
pub mod random;
#[cfg(feature = "recurrent")]
pub mod recurrent;
pub mod reduce;
mod slice_updates;
pub mod softmax;
pub mod sort;
pub mod transpose16;
pub mod unary;
pub mod window;
