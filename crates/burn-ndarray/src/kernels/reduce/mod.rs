//! Reductions. A result depends on the elements that are reduced and on their order alone, never on their
//! strides.

mod by_accumulator;
mod columns;
mod dims;
mod fold;
mod folded;
mod folding;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod interleaved;
mod order;
mod rows;
mod sink;
mod source;
mod strips;

pub use dims::reduce;
pub use fold::{Fold, fold_run};
pub use order::FlatOrder;
pub use rows::{reduce_rows_f32, reduce_rows_f64};
pub use source::ReductionSource;
