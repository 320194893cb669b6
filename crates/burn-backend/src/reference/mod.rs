//! Operations and blocks in terms of other operations, for backends without a kernel of their own.
//!
//! A leaf that has elementwise operations, layout, reductions, `gather`, `scatter` and `matmul` is complete
//! with these. They are correct, not fast. [`decompose`] executes what has one.

mod attention;
mod block;
mod block_format;
mod cached_attention;
mod composite;
mod conv;
mod decompose;
mod fft;
mod index;
mod interpolate;
mod linalg;
mod order;
mod pool;
pub(crate) mod precision;
mod quantization;
mod recurrent;
mod rotary;
mod scalar;
mod window;

pub use attention::{attention, attention_grad, quantized_attention};
pub use block::{behind_head, head_first, run_block, run_head};
pub use block_format::{block_matmul, dequantize_blocks};
pub use cached_attention::cached_attention;
pub use composite::{layer_norm, layer_norm_grad, log_softmax, softmax};
pub use conv::{conv, conv_transpose, conv_weight_grad};
pub use decompose::{decompose, decompose_normalization, try_decompose};
pub use fft::fft;
pub use index::{flip, repeat_dim, select, select_assign};
pub use interpolate::{interpolate, interpolate_grad};
pub use linalg::{factorize, lu, solve, solve_triangular};
pub use order::{arg_reduce, sort, topk};
pub use pool::{adaptive_avg_pool, adaptive_avg_pool_grad, max_pool_with_indices, pool, pool_grad};
pub use quantization::{dequantize, integer_matmul, quantize, quantized_matmul};
pub use recurrent::{recurrent, recurrent_grad, recurrent_previous};
pub use rotary::rotary_embedding;
pub use scalar::{binary_scalar, clamp, compare_scalar, mask_fill};
