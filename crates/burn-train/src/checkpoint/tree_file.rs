use burn_core::record::{Node, RecordError};
use std::fmt;
use std::path::PathBuf;

/// Saves and loads the tree of a part; a file recorder of any type.
pub(crate) trait TreeFile: fmt::Debug + Send {
    /// Saves a tree at a path without extension.
    fn save(&self, tree: Node, path: PathBuf) -> Result<(), RecordError>;
    /// Loads the tree at a path without extension.
    fn load(&self, path: PathBuf) -> Result<Node, RecordError>;
}
