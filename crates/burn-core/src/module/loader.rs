use super::Module;
use super::walk::{Path, Shapes};
use crate::record::RecordMismatch;
use crate::tensor::{Backend, Shape};
use alloc::format;

/// Loader of a record into a module: tracks the current path, and collects mismatches.
#[derive(Debug, Default)]
pub struct Loader {
    path: Path,
    mismatch: RecordMismatch,
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

    /// Reports that the record has nothing for `module`, an error if the module has parameters.
    pub fn missing<B: Backend, M: Module<B>>(&mut self, module: &M) {
        let mut shapes = Shapes::default();
        module.visit_params(&mut shapes);
        for (key, _) in shapes.found {
            self.path.enter(&key);
            self.mismatch.missing.push(self.path.join());
            self.path.exit();
        }
    }

    /// Reports a value of the record that the module does not have.
    pub fn unexpected(&mut self) {
        self.mismatch.unexpected.push(self.path.join());
    }

    pub(crate) fn finish(self) -> RecordMismatch {
        self.mismatch
    }
}
