//! The machine of pickles (PEP 307, PEP 3154, PEP 574), which builds data and runs nothing.

mod class;
mod heap;
mod machine;
mod opcode;
mod reader;
mod rebuild;

pub use heap::{Heap, Object, PickleValue, StoredTensor};
pub use machine::run;
