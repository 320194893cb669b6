use crate::{BlockHead, BlockRows, BlockStep, Register};
use alloc::vec;
use alloc::vec::Vec;
use burn_ir::{Shape, TensorSpec};

/// Elementwise operations and folds of rows, to be run in a single pass; they may follow a matrix product or
/// a convolution.
///
/// A row is what the last [`folded`](Self::folded) dimensions of the block hold. The result of a step either
/// has all elements ([`shape`](Self::shape)) or one element per row, with sizes 1 in the folded dimensions.
/// Inputs are repeated to what a step needs of them.
///
/// The registers are the inputs, the results of the [`head`](Self::head) if there is one, and the results of
/// the steps. So a leaf whose kernels for blocks lack the operation computes the head by itself, and its
/// results are more inputs: [`reference::head_first`](crate::reference::head_first).
#[derive(Clone, Debug)]
pub struct Block<T> {
    pub shape: Shape,
    /// Number of trailing dimensions that the reductions of the block fold; 0 without reductions.
    pub folded: usize,
    /// Matrix products or a convolution computed before the steps; the results are the registers from
    /// `inputs.len()` on.
    pub head: Option<BlockHead<T>>,
    pub inputs: Vec<T>,
    /// Step `k` writes register [`first_step`](Self::first_step)` + k`.
    pub steps: Vec<BlockStep<Register>>,
    /// Shape and dtype of the result of each step.
    pub specs: Vec<TensorSpec>,
    /// Registers of the head and of steps that are read outside of the block.
    pub outputs: Vec<Register>,
}

impl<T> Block<T> {
    /// Maps the inputs of the block.
    pub fn map_inputs<U>(self, mut f: impl FnMut(T) -> U) -> Block<U> {
        let Block { shape, folded, head, inputs, steps, specs, outputs } = self;
        let head = head.map(|head| head.map(&mut f));
        Block { shape, folded, head, inputs: inputs.into_iter().map(f).collect(), steps, specs, outputs }
    }

    /// Returns the tensors that the block reads: the operands of its head, then its inputs.
    pub fn operands(&self) -> impl Iterator<Item = &T> {
        self.head.iter().flat_map(BlockHead::operands).chain(&self.inputs)
    }

    /// Returns the register that the first step writes.
    pub fn first_step(&self) -> usize {
        self.inputs.len() + self.head.as_ref().map_or(0, BlockHead::results)
    }

    /// Returns the name of each operation of the head, if there is one, and those of the steps.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let heads = self.head.iter().flat_map(|head| core::iter::repeat_n(head.name(), head.results()));
        heads.chain(self.steps.iter().map(BlockStep::name))
    }
}

impl<T> Block<T> {
    /// Returns the block as rows: one that has no head and folds dimensions, with one output, which has all
    /// elements. Gives others back.
    pub fn into_rows(self) -> Result<BlockRows<T>, Self> {
        let first = self.inputs.len();
        let is_whole = |output: Register| {
            let step = usize::from(output).checked_sub(first);
            step.is_some_and(|step| self.specs[step].shape == self.shape)
        };
        match self.outputs[..] {
            [output] if self.head.is_none() && self.folded > 0 && is_whole(output) => {
                let Block { shape, folded, inputs, steps, specs, .. } = self;
                Ok(BlockRows { shape, folded, inputs, steps, specs, output })
            }
            _ => Err(self),
        }
    }
}

impl<T> From<BlockRows<T>> for Block<T> {
    fn from(rows: BlockRows<T>) -> Self {
        let BlockRows { shape, folded, inputs, steps, specs, output } = rows;
        Block { shape, folded, head: None, inputs, steps, specs, outputs: vec![output] }
    }
}
