use crate::{BlockStep, Register};
use alloc::vec::Vec;
use burn_ir::{HasSpec, Shape, TensorSpec};

/// Rows that a block without a head computes, with all elements of its shape: the left operand of
/// [`RowProducts`](crate::RowProducts).
#[derive(Clone, Debug)]
pub struct BlockRows<T> {
    pub shape: Shape,
    /// As in [`Block`](crate::Block).
    pub folded: usize,
    pub inputs: Vec<T>,
    pub steps: Vec<BlockStep<Register>>,
    pub specs: Vec<TensorSpec>,
    /// Register of the rows, which a step writes.
    pub output: Register,
}

impl<T> BlockRows<T> {
    /// Maps the inputs.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> BlockRows<U> {
        let BlockRows { shape, folded, inputs, steps, specs, output } = self;
        BlockRows { shape, folded, inputs: inputs.into_iter().map(f).collect(), steps, specs, output }
    }
}

impl<T> HasSpec for BlockRows<T> {
    fn spec(&self) -> &TensorSpec {
        &self.specs[usize::from(self.output) - self.inputs.len()]
    }
}
