use serde::{Deserialize, Serialize};
use std::fmt;

/// The phase in which a batch is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Batches that are learnt from.
    Train,
    /// Batches that are looked at after every epoch, and by which epochs and checkpoints are chosen.
    Valid,
    /// Batches that neither training nor a choice has seen, for an [`Evaluator`](crate::Evaluator).
    Test,
}

impl Split {
    /// All of them, in the order in which they are used.
    pub const ALL: [Self; 3] = [Self::Train, Self::Valid, Self::Test];

    /// Returns the name of the folder of its logs: `train`, `valid` or `test`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Valid => "valid",
            Self::Test => "test",
        }
    }
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Train => "Train",
            Self::Valid => "Valid",
            Self::Test => "Test",
        })
    }
}
