//! Inference of shapes and element types.

mod promotion;
mod refusals;
