//! The figures: a table for people, a page for a book, JSON for programs and the next run.

mod file;
mod measured;
mod page;
mod summary;
mod table;
mod unit;

pub(crate) use measured::{CANDLE, COMPILED, Measured, ONNXRUNTIME, PYTORCH, Report, Row};
pub(crate) use unit::Unit;
