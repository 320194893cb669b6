//! Rows of the specification that name candle: its devices, its place among backends, its tensors as ours,
//! errors.

mod backends;
mod buffers;
mod errors;
mod kernels;
mod records;
mod tensors;
