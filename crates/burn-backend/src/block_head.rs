use crate::BlockRows;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use burn_ir::{ConvArgs, Convolution, DType, HasSpec, Linalg, Operation};

/// Operations computed before the steps of a block, with results in the shape of the block. Nothing in the
/// block depends on how they are computed, and a result is written only where the block has it among its
/// outputs.
#[derive(Clone, Debug)]
pub enum BlockHead<T> {
    /// Matrix product.
    Product(Product<T>),
    /// Two matrix products of one left operand, as those of a gate and of what it gates.
    Products(Products<T>),
    /// Matrix products of rows that another block computes and nothing else reads.
    RowProducts(Box<RowProducts<T>>),
    /// Convolution, with its bias.
    Convolution(Box<ConvArgs<T>>),
}

/// Factors of a matrix product.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub lhs: T,
    pub rhs: T,
}

/// Factors of two matrix products of one left operand.
#[derive(Clone, Copy, Debug)]
pub struct Products<T> {
    pub lhs: T,
    pub rhs: [T; 2],
}

/// Matrix products whose left operand are rows that a block computes, as a norm and the products after it. A
/// kernel of products computes such rows itself where that takes less time than one more launch.
#[derive(Clone, Debug)]
pub struct RowProducts<T> {
    pub rows: BlockRows<T>,
    /// Right operand of each product.
    pub rhs: Vec<T>,
}

impl<T: Clone> BlockHead<T> {
    /// Returns the head as calls, one for each result, whose left operand is what `run` makes of rows.
    pub fn operations(self, run: impl FnOnce(BlockRows<T>) -> T) -> Vec<Operation<T>> {
        let products = |lhs: T, rhs: Vec<T>| {
            let product = |rhs| Linalg::Matmul { lhs: lhs.clone(), rhs }.into();
            rhs.into_iter().map(product).collect()
        };
        match self {
            BlockHead::Product(Product { lhs, rhs }) => vec![Linalg::Matmul { lhs, rhs }.into()],
            BlockHead::Products(Products { lhs, rhs }) => products(lhs, rhs.into()),
            BlockHead::RowProducts(args) => products(run(args.rows), args.rhs),
            BlockHead::Convolution(args) => vec![Convolution::Conv(args).into()],
        }
    }
}

impl<T> BlockHead<T> {
    /// Returns the number of results.
    pub fn results(&self) -> usize {
        match self {
            BlockHead::Product(_) | BlockHead::Convolution(_) => 1,
            BlockHead::Products(_) => 2,
            BlockHead::RowProducts(args) => args.rhs.len(),
        }
    }

    /// Adds a product to a head that is one product of the same left operand.
    ///
    /// # Panics
    /// When one of the two is no product of a tensor.
    pub fn with_product(self, other: Self) -> Self {
        let (BlockHead::Product(first), BlockHead::Product(second)) = (self, other) else {
            panic!("two products of one left operand are a head, no other two operations")
        };
        BlockHead::Products(Products { lhs: first.lhs, rhs: [first.rhs, second.rhs] })
    }

    /// Returns the right operand of a product; `None` for other heads.
    pub fn into_rhs(self) -> Option<T> {
        match self {
            BlockHead::Product(Product { rhs, .. }) => Some(rhs),
            BlockHead::Products(_) | BlockHead::RowProducts(_) | BlockHead::Convolution(_) => None,
        }
    }

    /// Maps the operands.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BlockHead<U> {
        match self {
            BlockHead::Product(Product { lhs, rhs }) => {
                BlockHead::Product(Product { lhs: f(lhs), rhs: f(rhs) })
            }
            BlockHead::Products(Products { lhs, rhs }) => {
                BlockHead::Products(Products { lhs: f(lhs), rhs: rhs.map(&mut f) })
            }
            BlockHead::RowProducts(args) => {
                let RowProducts { rows, rhs } = *args;
                let rows = rows.map(&mut f);
                BlockHead::RowProducts(Box::new(RowProducts { rows, rhs: rhs.into_iter().map(f).collect() }))
            }
            BlockHead::Convolution(args) => BlockHead::Convolution(Box::new(args.map_each(&mut f))),
        }
    }

    /// Returns the operands, in the order of the operation.
    pub fn operands(&self) -> impl Iterator<Item = &T> {
        let (few, many) = match self {
            BlockHead::Product(Product { lhs, rhs }) => ([Some(lhs), Some(rhs), None], None),
            BlockHead::Products(Products { lhs, rhs: [first, second] }) => {
                ([Some(lhs), Some(first), Some(second)], None)
            }
            BlockHead::RowProducts(args) => ([None; 3], Some(args.rows.inputs.iter().chain(&args.rhs))),
            BlockHead::Convolution(args) => ([Some(&args.x), Some(&args.weight), args.bias.as_ref()], None),
        };
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// Returns the name of the operation, of which there may be two.
    pub fn name(&self) -> &'static str {
        match self {
            BlockHead::Product(_) | BlockHead::Products(_) | BlockHead::RowProducts(_) => "matmul",
            BlockHead::Convolution(_) => "conv",
        }
    }
}

impl<T: HasSpec> BlockHead<T> {
    /// Returns the element type of the results.
    pub fn dtype(&self) -> DType {
        match self {
            BlockHead::Product(Product { lhs, .. }) | BlockHead::Products(Products { lhs, .. }) => {
                lhs.dtype()
            }
            BlockHead::RowProducts(args) => args.rhs[0].dtype(),
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
