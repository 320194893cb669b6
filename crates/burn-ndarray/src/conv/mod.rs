//! Convolution, its two gradients, and the pieces they share. Sums of products go through the matrix product over
//! unfolded input; where a group has few channels (depthwise) through rows of the image instead.

mod depthwise;
mod forward;
mod geometry;
mod input_grad;
mod unfold;
mod weight_grad;

pub use forward::conv;
pub use input_grad::conv_transpose;
pub use weight_grad::conv_weight_grad;
