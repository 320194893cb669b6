use alloc::boxed::Box;
use burn_ir::{ConvArgs, DType, HasSpec, Operation};

/// Operation computed before the steps of a block, in the shape of the block. Nothing in the block depends on how it is computed, and
/// its result is written only where the block has it among its outputs.
#[derive(Clone, Debug)]
pub enum BlockHead<T> {
    /// Matrix product.
    Product(Product<T>),
    /// Convolution, with its bias.
    Convolution(Box<ConvArgs<T>>),
}

/// Kind of operation that a block may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadKind {
    Product,
    Convolution,
}

impl HeadKind {
    /// Returns the kind of an operation that a block may begin with; `None` for all others.
    pub fn of<T>(op: &Operation<T>) -> Option<Self> {
        if matches!(op, Operation::Matmul { .. }) {
            return Some(HeadKind::Product);
        }
        matches!(op, Operation::Conv(_)).then_some(HeadKind::Convolution)
    }
}

/// Factors of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub lhs: T,
    pub rhs: T,
}

impl<T> BlockHead<T> {
    /// Returns the head as a call.
    pub fn operation(self) -> Operation<T> {
        match self {
            BlockHead::Product(Product { lhs, rhs }) => Operation::Matmul { lhs, rhs },
            BlockHead::Convolution(args) => Operation::Conv(args),
        }
    }

    /// Maps the operands.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BlockHead<U> {
        match self {
            BlockHead::Product(Product { lhs, rhs }) => {
                BlockHead::Product(Product { lhs: f(lhs), rhs: f(rhs) })
            }
            BlockHead::Convolution(args) => BlockHead::Convolution(Box::new(args.map(f))),
        }
    }

    /// Returns the operands, in the order of the operation.
    pub fn operands(&self) -> impl Iterator<Item = &T> {
        let [first, second, third] = match self {
            BlockHead::Product(Product { lhs, rhs }) => [Some(lhs), Some(rhs), None],
            BlockHead::Convolution(args) => [Some(&args.x), Some(&args.weight), args.bias.as_ref()],
        };
        [first, second, third].into_iter().flatten()
    }

    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            BlockHead::Product(_) => "matmul",
            BlockHead::Convolution(_) => "conv",
        }
    }
}

impl<T: HasSpec> BlockHead<T> {
    /// Returns the element type of the result.
    pub fn dtype(&self) -> DType {
        match self {
            BlockHead::Product(Product { lhs, .. }) => lhs.dtype(),
            BlockHead::Convolution(args) => args.x.dtype(),
        }
    }
}

impl<T> TryFrom<Operation<T>> for BlockHead<T> {
    type Error = Operation<T>;

    /// Converts an operation that a block may begin with; gives back others.
    fn try_from(op: Operation<T>) -> Result<Self, Operation<T>> {
        if let Operation::Matmul { lhs, rhs } = op {
            return Ok(BlockHead::Product(Product { lhs, rhs }));
        }
        if let Operation::Conv(args) = op { Ok(BlockHead::Convolution(args)) } else { Err(op) }
    }
}
