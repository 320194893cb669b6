//! Checkpoints that are whole or not there, and which of them are kept.
//!
//! A checkpoint of epoch `N` is `model-N`, `optim-N` and `scheduler-N`, with the extension of the recorder,
//! `average-N` and `grad-scaler-N` where the run has them, and `state-N.json`, which lists them with their
//! sizes and checksums and comes last. All of them are written in a folder beside and moved when they are on
//! the disk; a move that is cut short is finished when the folder is opened next. So a program that is killed
//! at any moment leaves the checkpoints that it had, and the new one whole or not at all.

mod background;
mod checkpointer;
mod error;
mod part;
mod saved;
mod state;
mod store;
mod strategy;
mod tree_file;

pub(crate) use checkpointer::Checkpointer;
pub use error::CheckpointError;
pub use part::Part;
pub use saved::SavedCheckpoint;
pub use state::{CheckpointFile, CheckpointState};
pub use store::CheckpointStore;
pub use strategy::{
    CheckpointingStrategy, ComposedCheckpointingStrategy, KeepLastNCheckpoints, MetricCheckpointingStrategy,
};
pub(crate) use tree_file::TreeFile;
