//! Families of operations: for each the variants, their names and properties, and the inference of results.

mod attention;
mod convolution;
mod elementwise;
mod index;
mod layout;
mod linalg;
mod normalization;
mod order;
mod pooling;
mod quantized;
mod recurrent;
mod reduction;
mod resize;
mod spectral;

pub use attention::Attention;
pub use convolution::Convolution;
pub use elementwise::Elementwise;
pub use index::Index;
pub use layout::Layout;
pub use linalg::Linalg;
pub use normalization::Normalization;
pub use order::Order;
pub use pooling::Pooling;
pub use quantized::Quantized;
pub use recurrent::Recurrent;
pub use reduction::Reduction;
pub use resize::Resize;
pub use spectral::Spectral;
