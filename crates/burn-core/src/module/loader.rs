use super::walk::Path;
use crate::record::RecordMismatch;
use crate::tensor::Shape;
use alloc::format;

/// Loader of a record into a module: tracks the current path, and collects mismatches.
#[derive(Debug, Default)]
pub struct Loader {
    pub(super) path: Path,
    pub(super) mismatch: RecordMismatch,
}

impl Loader {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Goes into the field or item `name`.
    pub fn enter(&mut self, name: &str) {
        self.path.enter(name);
    }

    /// Leaves what was entered last.
    pub fn exit(&mut self) {
        self.path.exit();
    }

    /// Reports a parameter of another shape.
    pub fn other_shape(&mut self, expected: Shape, found: Shape) {
        self.mismatch.merge(RecordMismatch::shape(self.path.join(), expected, found));
    }

    /// Reports an enum variant `found` in the record that differs from the module's.
    pub fn other_variant(&mut self, expected: &str, found: &str) {
        self.mismatch
            .values
            .push((self.path.join(), format!("expected the variant {expected}, found {found}")));
    }

    /// Reports a value of the record that the module does not have.
    pub fn unexpected(&mut self) {
        self.mismatch.unexpected.push(self.path.join());
    }

    pub(crate) fn finish(self) -> RecordMismatch {
        self.mismatch
    }
}
