use crate::Backend;
use crate::dynamic::{BackendObject, Of};
use alloc::vec::Vec;
use burn_ir::{Composite, DType, HasSpec, Operation, Shape, TensorSpec};
use core::marker::PhantomData;

/// A value inside a block: first the inputs, then one register per step.
pub type Register = u16;

/// Elementwise operations and folds of rows, to be run in a single pass; they may follow a product.
///
/// A row is what the last [`folded`](Self::folded) dimensions of the block hold. The result of a step either has all elements
/// ([`shape`](Self::shape)) or one element per row, with sizes 1 in the folded dimensions. Inputs are repeated to
/// what a step needs of them.
///
/// The registers are the inputs, the result of the [`head`](Self::head) if there is one, and the results of the steps. So a leaf whose
/// kernels for blocks have no products computes the head by itself, and its result is one more input:
/// [`reference::head_first`](crate::reference::head_first).
#[derive(Clone, Debug)]
pub struct Block<T> {
    pub shape: Shape,
    /// Number of trailing dimensions that the reductions of the block fold; 0 without reductions.
    pub folded: usize,
    /// Matrix product computed before the steps; its result is register `inputs.len()`.
    pub head: Option<Product<T>>,
    pub inputs: Vec<T>,
    /// Step `k` writes register [`first_step`](Self::first_step)` + k`. `Unary`, `Binary`, `BinaryScalar`, `Compare`, `CompareScalar`, `Clamp`,
    /// `MaskWhere`, `MaskFill`, `Cast`; `Expand` to the shape of the block; `Reduce` of a value with all elements.
    pub steps: Vec<Operation<Register>>,
    /// Shape and dtype of the result of each step.
    pub specs: Vec<TensorSpec>,
    /// Registers of the head and of steps that are read outside of the block.
    pub outputs: Vec<Register>,
}

impl<T> Block<T> {
    /// Maps the inputs of the block.
    pub fn map_inputs<U>(self, mut f: impl FnMut(T) -> U) -> Block<U> {
        let Block { shape, folded, head, inputs, steps, specs, outputs } = self;
        let head = head.map(|Product { lhs, rhs }| Product { lhs: f(lhs), rhs: f(rhs) });
        Block { shape, folded, head, inputs: inputs.into_iter().map(f).collect(), steps, specs, outputs }
    }

    /// Returns the tensors that the block reads: the factors of its head, then its inputs.
    pub fn operands(&self) -> impl Iterator<Item = &T> {
        self.head.iter().flat_map(|Product { lhs, rhs }| [lhs, rhs]).chain(&self.inputs)
    }

    /// Returns the register that the first step writes.
    pub fn first_step(&self) -> usize {
        self.inputs.len() + usize::from(self.head.is_some())
    }

    /// Returns the name of the head, if there is one, and those of the steps.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.head.iter().map(Product::name).chain(self.steps.iter().map(Operation::name))
    }
}

/// The matrix product of two tensors, in the shape of the block that it begins. Nothing in the block depends on how it is computed, and
/// its result is written only where the block has it among its outputs.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub lhs: T,
    pub rhs: T,
}

impl<T> Product<T> {
    /// Returns the product as a call.
    pub fn operation(self) -> Operation<T> {
        let Product { lhs, rhs } = self;
        Operation::Matmul { lhs, rhs }
    }

    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        let Product { lhs, rhs } = self;
        Product { lhs, rhs }.operation().name()
    }
}

impl<T: HasSpec> Product<T> {
    /// Returns the element type of the result.
    pub fn dtype(&self) -> DType {
        self.lhs.dtype()
    }
}

impl<T> TryFrom<Operation<T>> for Product<T> {
    type Error = Operation<T>;

    /// Converts an operation to a product, if it is one.
    fn try_from(op: Operation<T>) -> Result<Self, Operation<T>> {
        if let Operation::Matmul { lhs, rhs } = op { Ok(Product { lhs, rhs }) } else { Err(op) }
    }
}

/// A backend that runs a block as one kernel, so that it pays to collect calls for it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot fuse",
    note = "`Fusion<B>` needs a leaf that implements `FusionBackend`; use `{Self}` without `Fusion`"
)]
pub trait FusionBackend: Backend {
    /// Returns whether `composite` has a kernel of its own, so that it should not be decomposed.
    fn has_kernel(composite: Composite) -> bool;

    /// Returns whether blocks may begin with a matrix product ([`Block::head`]). By default, products are
    /// calls before their blocks.
    fn takes_products() -> bool {
        false
    }

    /// Returns whether blocks may reduce this number of rows, of `terms` elements each, of `dtype`. By
    /// default, `f32` and `f64` rows that fit into the cache with everything computed from them.
    fn folds(dtype: DType, _rows: usize, terms: usize) -> bool {
        matches!(dtype, DType::F32 | DType::F64) && (2..=1 << 14).contains(&terms)
    }

    /// Returns this backend as a fusion object, by the same rule as [`Backend::object`].
    fn fusion_object() -> &'static dyn FusionObject;
}

/// [`FusionBackend`] as an object: what a queue needs of the backend under it.
pub trait FusionObject: BackendObject {
    fn has_kernel(&self, composite: Composite) -> bool;
    fn takes_products(&self) -> bool;
    fn folds(&self, dtype: DType, rows: usize, terms: usize) -> bool;
}

/// Returns `B` as a fusion object, as [`object_of`](crate::dynamic::object_of).
pub fn fusion_object_of<B: FusionBackend>() -> &'static dyn FusionObject {
    const { &Of::<B>(PhantomData) }
}

impl<B: FusionBackend> FusionObject for Of<B> {
    fn has_kernel(&self, composite: Composite) -> bool {
        B::has_kernel(composite)
    }
    fn takes_products(&self) -> bool {
        B::takes_products()
    }
    fn folds(&self, dtype: DType, rows: usize, terms: usize) -> bool {
        B::folds(dtype, rows, terms)
    }
}
