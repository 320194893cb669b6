//! How a block that folds rows reads its inputs.

use super::vector::Inner;

/// Access pattern of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// One element for the row.
    Row,
    Along(Inner),
}

impl Access {
    /// Returns the vector width of the array elements.
    pub fn width(self, width: usize) -> usize {
        if self == Access::Along(Inner::Adjacent) { width } else { 1 }
    }
}
