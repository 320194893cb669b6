use alloc::boxed::Box;
use burn_ir::{ConvArgs, Convolution, DType, HasSpec, Linalg, Operation};

/// Operation computed before the steps of a block, in the shape of the block. Nothing in the block depends on
/// how it is computed, and its result is written only where the block has it among its outputs.
#[derive(Clone, Debug)]
pub enum BlockHead<T> {
    /// Matrix product.
    Product(Product<T>),
    /// Convolution, with its bias.
    Convolution(Box<ConvArgs<T>>),
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
            BlockHead::Product(Product { lhs, rhs }) => Linalg::Matmul { lhs, rhs }.into(),
            BlockHead::Convolution(args) => Convolution::Conv(args).into(),
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
    #[allow(clippy::wildcard_enum_match_arm)] // All others are given back, whatever they are.
    fn try_from(op: Operation<T>) -> Result<Self, Operation<T>> {
        match op {
            Operation::Linalg(Linalg::Matmul { lhs, rhs }) => Ok(BlockHead::Product(Product { lhs, rhs })),
            Operation::Convolution(Convolution::Conv(args)) => Ok(BlockHead::Convolution(args)),
            other => Err(other),
        }
    }
}
