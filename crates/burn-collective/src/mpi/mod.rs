//! Ranks that are processes which `mpirun` starts.

mod engine;
mod init;
mod library;
mod messages;

pub use init::Mpi;
