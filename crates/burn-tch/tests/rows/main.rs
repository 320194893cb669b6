//! Rows of the specification that name LibTorch: its devices, its place among backends, its tensors as ours,
//! errors.

mod backends;
mod buffers;
mod errors;
mod extension;
mod kernels;
mod records;
mod tensors;
