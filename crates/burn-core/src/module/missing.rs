//! Parameters that a record lacks.

use super::walk::Shapes;
use super::{Loader, Module};
use crate::tensor::Backend;

impl Loader {
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
}
