//! Rows of the specification that name candle: its devices, its kind of backend, its tensors as ours,
//! errors.

mod backends;
mod buffers;
mod errors;
mod kernels;
#[path = "../../../../burn-book/snippets/src/page_output.rs"]
mod page_output;
mod program;
mod records;
mod tensors;
