use crate::Backend;
use crate::dynamic::{BackendObject, DynamicTensor, Of};
use alloc::vec::Vec;
use burn_ir::{Composite, Operation, TensorSpec};
use core::marker::PhantomData;

/// A value inside a block: first the inputs, then one register per step.
pub type Register = u16;

/// Elementwise operations over one shape and dtype, to be run in a single pass.
#[derive(Clone, Debug)]
pub struct Block<T> {
    pub spec: TensorSpec,
    pub inputs: Vec<T>,
    /// Only `Unary`, `Binary` and `BinaryScalar`; step `k` writes register `inputs.len() + k`.
    pub steps: Vec<Operation<Register>>,
    /// Registers that someone outside of the block will read.
    pub outputs: Vec<Register>,
}

/// A backend that runs a block of elementwise operations as one kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot fuse",
    note = "`Fusion<B>` needs a leaf that implements `FusionBackend`; use `{Self}` without `Fusion`"
)]
pub trait FusionBackend: Backend {
    /// Whether `composite` has a kernel of its own, so that it should not be taken apart.
    fn has_kernel(composite: Composite) -> bool;

    fn run_elementwise(block: Block<Self::Tensor>) -> Vec<Self::Tensor>;

    /// As [`Backend::object`], and by the same rule.
    fn fusion_object() -> &'static dyn FusionObject;
}

/// [`FusionBackend`] as an object: what a queue needs of the backend under it.
pub trait FusionObject: BackendObject {
    fn has_kernel(&self, composite: Composite) -> bool;
    fn run_elementwise(&self, block: Block<DynamicTensor>) -> Vec<DynamicTensor>;
}

/// As [`object_of`](crate::dynamic::object_of).
pub fn fusion_object_of<B: FusionBackend>() -> &'static dyn FusionObject {
    const { &Of::<B>(PhantomData) }
}

impl<B: FusionBackend> FusionObject for Of<B> {
    fn has_kernel(&self, composite: Composite) -> bool {
        B::has_kernel(composite)
    }
    fn run_elementwise(&self, block: Block<DynamicTensor>) -> Vec<DynamicTensor> {
        let Block { spec, inputs, steps, outputs } = block;
        let inputs = inputs.into_iter().map(DynamicTensor::into_inner::<B>).collect();
        let results = B::run_elementwise(Block { spec, inputs, steps, outputs });
        results.into_iter().map(DynamicTensor::new::<B>).collect()
    }
}
