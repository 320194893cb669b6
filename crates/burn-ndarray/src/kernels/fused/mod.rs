//! A block of operations in one pass: tile by tile, intermediates stay in the cache.

mod cursor;
mod head_epilogue;
mod input;
mod kernel;
mod pass;
mod run;
mod tile_allocation;

pub use run::run;
