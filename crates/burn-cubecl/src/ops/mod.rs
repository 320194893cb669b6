//! Kernels, by family of operations.

pub mod accumulate;
pub mod attention;
pub mod attention_few;
pub mod attention_scores;
pub mod block;
pub mod create;
pub mod cumulative;
pub mod elementwise;
pub mod fft;
pub mod index;
pub mod interpolate;
pub mod layout;
pub mod math;
pub mod matmul;
mod measured_arithmetic;
pub mod norm;
pub mod quantization;
pub mod random;
pub mod recurrent;
pub mod reduce;
pub mod segment_sum;
pub mod softmax;
pub mod sort;
pub mod window;
