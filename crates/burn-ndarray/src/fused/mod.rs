//! A block of operations in one pass: tile by tile, intermediates stay in the cache.

mod input;
mod places;
mod run;
mod step;

pub use run::run;
