use serde::{Deserialize, Serialize};
use std::fmt;

/// The side of an epoch: batches that are learnt from, or batches that are only looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Batches that are learnt from.
    Train,
    /// Batches that are only looked at.
    Valid,
}

impl Split {
    /// Both sides, in the order in which an epoch runs them.
    pub const ALL: [Self; 2] = [Self::Train, Self::Valid];

    /// Returns the name of the folder of its logs: `train` or `valid`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Valid => "valid",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Train => "Train",
            Self::Valid => "Valid",
        })
    }
}
