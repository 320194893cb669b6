use burn_derive::Operands;
use burn_ir::{Dims, Elementwise, Layout, Operation, OperationTraits, ReduceOp, Reduction, Shape};

/// A value inside a block: first the inputs, then one register per step.
pub type Register = u16;

/// Operation that may stand in a [block](crate::Block).
#[derive(Clone, Debug, PartialEq, Operands)]
pub enum BlockStep<T> {
    /// Function of the elements at the same index.
    Elementwise(Elementwise<T>),
    /// Broadcast to the shape of the block.
    Expand { x: T, shape: Shape },
    /// Reduction of a value with all elements over the dimensions that the block folds.
    Reduce { op: ReduceOp, x: T, dims: Dims },
}

impl<T> BlockStep<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            BlockStep::Elementwise(op) => op.name(),
            BlockStep::Expand { .. } => "expand",
            BlockStep::Reduce { op, .. } => op.name(),
        }
    }

    /// Returns the properties of the operation.
    pub fn traits(&self) -> OperationTraits {
        match self {
            BlockStep::Elementwise(op) => op.traits(),
            BlockStep::Expand { .. } | BlockStep::Reduce { .. } => Operation::from(self.by_ref()).traits(),
        }
    }

    /// Returns the elementwise operation; `None` for other steps.
    pub fn as_elementwise(&self) -> Option<&Elementwise<T>> {
        match self {
            BlockStep::Elementwise(op) => Some(op),
            BlockStep::Expand { .. } | BlockStep::Reduce { .. } => None,
        }
    }

    /// Returns the operand that is broadcast; `None` for other steps.
    pub fn as_expand(&self) -> Option<&T> {
        match self {
            BlockStep::Expand { x, .. } => Some(x),
            BlockStep::Elementwise(_) | BlockStep::Reduce { .. } => None,
        }
    }

    /// Returns the reduction and its operand; `None` for other steps.
    pub fn as_reduce(&self) -> Option<(ReduceOp, &T)> {
        match self {
            BlockStep::Reduce { op, x, .. } => Some((*op, x)),
            BlockStep::Elementwise(_) | BlockStep::Expand { .. } => None,
        }
    }

    /// Returns the first operand that is no mask.
    pub fn first_value(&self) -> &T {
        match self {
            BlockStep::Elementwise(op) => op.first_value(),
            BlockStep::Expand { x, .. } | BlockStep::Reduce { x, .. } => x,
        }
    }

    /// Returns the first operand.
    pub fn first(&self) -> &T {
        let mut first = None;
        self.visit(|x| {
            first.get_or_insert(x);
        });
        first.expect("a step has at least one operand")
    }

    /// Returns whether `test` holds for any operand.
    pub fn any(&self, mut test: impl FnMut(&T) -> bool) -> bool {
        let mut found = false;
        self.visit(|x| found = found || test(x));
        found
    }
}

impl<T> From<BlockStep<T>> for Operation<T> {
    fn from(step: BlockStep<T>) -> Self {
        match step {
            BlockStep::Elementwise(op) => Operation::Elementwise(op),
            BlockStep::Expand { x, shape } => Operation::Layout(Layout::Expand { x, shape }),
            BlockStep::Reduce { op, x, dims } => Operation::Reduction(Reduction::Reduce { op, x, dims }),
        }
    }
}

impl<T> From<Elementwise<T>> for BlockStep<T> {
    fn from(op: Elementwise<T>) -> Self {
        BlockStep::Elementwise(op)
    }
}

impl<T> TryFrom<Operation<T>> for BlockStep<T> {
    type Error = Operation<T>;

    /// Converts an operation that may stand in a block; gives back others.
    #[allow(clippy::wildcard_enum_match_arm)] // All others are given back, whatever they are.
    fn try_from(op: Operation<T>) -> Result<Self, Operation<T>> {
        match op {
            Operation::Elementwise(op) => Ok(BlockStep::Elementwise(op)),
            Operation::Layout(Layout::Expand { x, shape }) => Ok(BlockStep::Expand { x, shape }),
            Operation::Reduction(Reduction::Reduce { op, x, dims }) => Ok(BlockStep::Reduce { op, x, dims }),
            other => Err(other),
        }
    }
}
