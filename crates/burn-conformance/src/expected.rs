use crate::array::Array;
use crate::tolerance::Tolerance;
use burn_backend::Outputs;

/// A result by definition, and how far a backend may be from it.
#[derive(Clone, Debug)]
pub struct Expected {
    pub array: Array,
    pub tolerance: Tolerance,
}

impl Expected {
    /// Moved, not computed: every bit counts.
    pub(crate) fn moved(array: Array) -> Outputs<Expected> {
        Expected { array, tolerance: Tolerance::Rounded }.into()
    }
}
