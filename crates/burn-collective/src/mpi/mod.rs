//! Ranks that are processes, with messages of an MPI library that is loaded at run time (decision 0050).

mod abi;
mod engine;
mod functions;
mod init;
mod library;
mod messages;
mod monitor;
mod peer;
mod single_copy;

pub use init::Mpi;
