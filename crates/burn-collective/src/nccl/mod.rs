//! Ranks with an NVIDIA GPU each, whose messages NCCL moves; the library is loaded at run time (decision
//! 0050).

#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "tensors of the backend `Cuda` use all of it"))]
mod cuda;
mod engine;
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "tensors of the backend `Cuda` use all of it"))]
mod functions;
mod init;
mod library;
mod master_port;
#[cfg(feature = "cuda")]
mod tensors;

pub use init::Nccl;
