//! Composites and blocks in terms of other operations, for backends without a kernel of their own.

mod attention;
mod block;
mod composite;

pub use attention::{attention, attention_grad};
pub use block::run_block;
pub use composite::{decompose, layer_norm, layer_norm_grad, log_softmax, softmax};
