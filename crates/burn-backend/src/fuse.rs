use crate::Backend;
use crate::dynamic::{BackendObject, Of};
use alloc::vec::Vec;
use burn_ir::{Composite, Operation, Shape, TensorSpec};
use core::marker::PhantomData;

/// A value inside a block: first the inputs, then one register per step.
pub type Register = u16;

/// Elementwise operations and folds of rows, to be run in a single pass.
///
/// A row is what the last [`folded`](Self::folded) dimensions of the block hold. The result of a step either has all elements
/// ([`shape`](Self::shape)) or one element per row, with sizes 1 in the folded dimensions. Inputs are repeated to
/// what a step needs of them.
#[derive(Clone, Debug)]
pub struct Block<T> {
    pub shape: Shape,
    /// How many of the last dimensions its reductions fold; 0 if it has none.
    pub folded: usize,
    pub inputs: Vec<T>,
    /// Step `k` writes register `inputs.len() + k`. `Unary`, `Binary`, `BinaryScalar`, `Compare`, `CompareScalar`, `Clamp`,
    /// `MaskWhere`, `MaskFill`, `Cast`; `Expand` to the shape of the block; `Reduce` of a value with all elements.
    pub steps: Vec<Operation<Register>>,
    /// What each step writes.
    pub specs: Vec<TensorSpec>,
    /// Registers of steps that someone outside of the block will read.
    pub outputs: Vec<Register>,
}

impl<T> Block<T> {
    /// The block with other inputs.
    pub fn map_inputs<U>(self, f: impl FnMut(T) -> U) -> Block<U> {
        let Block { shape, folded, inputs, steps, specs, outputs } = self;
        Block { shape, folded, inputs: inputs.into_iter().map(f).collect(), steps, specs, outputs }
    }
}

/// A backend that runs a block as one kernel, so that it pays to collect calls for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot fuse",
    note = "`Fusion<B>` needs a leaf that implements `FusionBackend`; use `{Self}` without `Fusion`"
)]
pub trait FusionBackend: Backend {
    /// Whether `composite` has a kernel of its own, so that it should not be taken apart.
    fn has_kernel(composite: Composite) -> bool;

    /// As [`Backend::object`], and by the same rule.
    fn fusion_object() -> &'static dyn FusionObject;
}

/// [`FusionBackend`] as an object: what a queue needs of the backend under it.
pub trait FusionObject: BackendObject {
    fn has_kernel(&self, composite: Composite) -> bool;
}

/// As [`object_of`](crate::dynamic::object_of).
pub fn fusion_object_of<B: FusionBackend>() -> &'static dyn FusionObject {
    const { &Of::<B>(PhantomData) }
}

impl<B: FusionBackend> FusionObject for Of<B> {
    fn has_kernel(&self, composite: Composite) -> bool {
        B::has_kernel(composite)
    }
}
