//! Kernels by closed forms, by definitions in `f64`, and by each other.

mod contention;
mod conv;
mod few_queries;
mod halves;
mod neighbours;
mod pool;
mod reference;
