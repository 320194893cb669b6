//! Convolution, its two gradients, and the pieces they share.
//!
//! `f32` (and half precision) are summed over shifted rows of padded copies ([`direct`]). Other types, and
//! planes too small for that, go through the matrix product over unfolded input; where a group has few
//! channels (depthwise) through rows of the image.

mod depthwise;
mod direct;
mod direct_weight;
mod dots;
mod few_results;
mod forward;
mod geometry;
mod input_grad;
mod packed;
mod padded_plane;
mod plan;
mod plane_columns;
#[cfg(feature = "std")]
mod pointwise;
mod single_plane;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod sixteen_channels;
mod stage;
mod sweep;
#[cfg(test)]
mod tests;
mod unfold;
mod weight_grad;
mod winograd;
mod winograd_pass;
mod winograd_points;
mod winograd_reading;
mod winograd_transform;
mod workspace;

pub use forward::{conv, conv_with};
pub use input_grad::conv_transpose;
pub use weight_grad::conv_weight_grad;
