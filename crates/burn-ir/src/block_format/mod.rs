//! Block formats of GGUF files: matrices of few bits whose scales lie among them.

mod blocks;
mod format;
mod packed;
mod super_blocks;

pub use format::BlockFormat;
pub use packed::{BlockMatmulArgs, PackedBlocks};
