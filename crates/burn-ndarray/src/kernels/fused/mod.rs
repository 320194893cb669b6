//! A block of operations in one pass: tile by tile, intermediates stay in the cache.

mod cursor;
mod head;
mod input;
mod kernel;
mod pass;
mod places;
mod run;

pub use run::run;
