//! A block of operations in one pass: tile by tile, intermediates stay in the cache.

mod chain;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod chain_avx512;
mod chain_call;
pub(in crate::kernels) mod chain_kernel;
mod cursor;
mod head_epilogue;
mod input;
mod kernel;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod known_chains;
mod pass;
mod recompute;
mod run;
mod stage;
mod step;
mod tile_allocation;

pub use run::run;
