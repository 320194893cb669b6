//! Ranks with an NVIDIA GPU each, whose messages NCCL moves; the library is loaded at run time (decision
//! 0050).

mod cuda;
mod engine;
mod functions;
mod init;
mod library;
#[cfg(feature = "cuda")]
mod tensors;

pub use init::Nccl;
