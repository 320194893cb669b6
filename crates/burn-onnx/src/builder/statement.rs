//! Steps of a recorded program.

use crate::calls::{Definition, Operand};
use crate::graph::Constant;
use crate::value::{Expr, Tensor, TensorId};

/// Step of a recorded program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Statement {
    /// A call.
    Call {
        /// Definition of the called operation.
        definition: &'static Definition,
        /// Operands of the call.
        operands: Vec<Operand>,
        /// Results of the call.
        results: Vec<Tensor>,
    },
    /// A constant of the model becomes a tensor.
    Constant {
        /// The constant.
        constant: Constant,
        /// The tensor.
        result: Tensor,
    },
    /// The elements of a tensor of integers or truth values are read to the host.
    Read {
        /// The tensor.
        tensor: Tensor,
    },
    /// Branch: one of two blocks, by a condition.
    Branch {
        /// The condition.
        condition: Expr,
        /// Steps where it holds, and where it does not.
        blocks: [Block; 2],
        /// The results of the block that ran.
        results: Vec<Tensor>,
    },
    /// A block that runs several times.
    Loop(Box<Loop>),
}

/// Steps of a branch or of an iteration.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The steps.
    pub statements: Vec<Statement>,
    /// Tensors that the block gives.
    pub results: Vec<Tensor>,
}

/// Loop of a recorded program.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Largest number of iterations; without one only the condition ends the loop.
    pub limit: Option<Expr>,
    /// The number of the iteration is `Expr::Dim(iteration, 0)`.
    pub iteration: TensorId,
    /// Values of the variables before the first iteration.
    pub initial: Vec<Tensor>,
    /// Tensors that each iteration takes from the one before.
    pub variables: Vec<Tensor>,
    /// Steps of an iteration. Its results are the next values of the variables, then a part of each collected
    /// output.
    pub body: Block,
    /// Whether another iteration follows; evaluated at the end of each.
    pub condition: Expr,
    /// Outputs that are made of a part of each iteration.
    pub collected: Vec<Collected>,
    /// Last values of the variables, then the collected outputs.
    pub results: Vec<Tensor>,
}

/// Output of a loop that consists of a part of each iteration, joined along an axis.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The axis.
    pub axis: usize,
    /// Shape of the output of a loop without iterations; none if there is at least one.
    pub empty: Option<Vec<usize>>,
}
