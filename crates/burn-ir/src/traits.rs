use crate::{Composite, Differentiability};

/// Properties of an operation that decorators and backends ask for. Each family has one table of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationTraits {
    /// Kind of composite, if the operation is defined by others.
    pub composite: Option<Composite>,
    /// Whether recomputing the result costs less than storing and loading it.
    pub is_memory_bound: bool,
    /// Part that the operation can take in a fused block.
    pub fusion: FusionClass,
    /// Precision that the operation needs in mixed precision.
    pub precision: PrecisionClass,
    /// Operands that gradients flow to.
    pub differentiability: Differentiability,
    /// Positions of the operands whose dtype is fixed, whatever the others have: the logarithms of an
    /// attention, the scales of quantized tensors.
    pub fixed_dtypes: &'static [usize],
}

/// Part that an operation can take in a fused block. A backend may refuse heads and folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionClass {
    /// Each result element depends on the operand elements at the same index.
    Elementwise,
    /// Broadcast: the operand, repeated.
    Repeat,
    /// Reduction that a block may compute over trailing dimensions.
    Fold,
    /// Operation that a block may begin with; the steps read its result.
    Head(HeadKind),
    /// Not fusible: the operation runs by itself.
    Alone,
}

/// Kind of operation that a block may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    /// Matrix product.
    Product,
    /// Convolution, with its bias.
    Convolution,
}

/// Precision class of an operation in mixed precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrecisionClass {
    /// Sums of products, which tensor cores compute from low-precision operands and accumulate in higher
    /// precision.
    Product,
    /// Sums of many numbers, or divisions by such sums: precision and range matter.
    Accumulation,
    /// Computes in the dtype of its operands.
    Neutral,
}

impl OperationTraits {
    /// An operation that is no composite, is bound by computation, runs alone, and is differentiable in every
    /// operand.
    pub(crate) const fn new(precision: PrecisionClass) -> Self {
        OperationTraits {
            composite: None,
            is_memory_bound: false,
            fusion: FusionClass::Alone,
            precision,
            differentiability: Differentiability::Full,
            fixed_dtypes: &[],
        }
    }

    pub(crate) const fn composite(self, composite: Composite) -> Self {
        OperationTraits { composite: Some(composite), ..self }
    }

    pub(crate) const fn memory_bound(self) -> Self {
        OperationTraits { is_memory_bound: true, ..self }
    }

    pub(crate) const fn fusion(self, fusion: FusionClass) -> Self {
        OperationTraits { fusion, ..self }
    }

    pub(crate) const fn gradient(self, differentiability: Differentiability) -> Self {
        OperationTraits { differentiability, ..self }
    }

    pub(crate) const fn fixed_dtypes(self, positions: &'static [usize]) -> Self {
        OperationTraits { fixed_dtypes: positions, ..self }
    }
}
