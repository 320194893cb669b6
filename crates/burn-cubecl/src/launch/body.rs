use crate::launch::element::storage;
use burn_backend::DType;
use cubecl::ir::{ManagedVariable, Scope};
use cubecl::prelude::*;

cubecl::define_scalar!(pub A);
cubecl::define_scalar!(pub B);
cubecl::define_scalar!(pub C);
cubecl::define_scalar!(pub D);

/// Arguments of a kernel while its body is expanded: arrays and words.
#[derive(Debug)]
pub struct Body {
    pub scope: Scope,
    pub(super) arrays: Vec<ManagedVariable>,
    pub(super) dtypes: Vec<DType>,
    /// Words of the launch that were not read yet.
    pub(super) words: std::vec::IntoIter<ManagedVariable>,
}

impl Body {
    /// Array `at` of the launch, inputs first. Elements of the first four arrays are `A`, `B`, `C` and `D`.
    pub fn array<E: CubePrimitive>(&self, at: usize) -> NativeExpand<Array<E>> {
        self.arrays[at].clone().into()
    }

    /// Array `at`, of elements that are known to be of this type.
    pub fn variable(&self, at: usize) -> ManagedVariable {
        self.arrays[at].clone()
    }

    pub fn dtype(&self, at: usize) -> DType {
        self.dtypes[at]
    }

    /// Reads the next word of the launch.
    ///
    /// # Panics
    /// When the host gave fewer words than the kernel reads.
    pub fn next_word(&mut self) -> NativeExpand<u32> {
        self.words.next().expect("the launch has as many words as its kernel reads").into()
    }

    /// Reads the next words as a list.
    pub fn next_words(&mut self, count: usize) -> SequenceExpand<u32> {
        let mut sequence = Sequence::<u32>::__expand_new(&mut self.scope);
        for _ in 0..count {
            let word = self.next_word();
            sequence.__expand_push_method(&mut self.scope, word);
        }
        sequence
    }

    /// Names the element type of array `at`.
    pub fn name<E: 'static>(&mut self, at: usize) {
        let ty = storage(self.dtypes[at]);
        self.scope.register_type::<E>(ty);
    }
}
