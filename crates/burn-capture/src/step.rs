use burn_backend::{Creation, DType, Operation, TensorSpec};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of a value in a program: first the inputs, then the results of the steps, in order. It is written
/// `%3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Value(pub u32);

impl Value {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Input of a program, given when it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub name: String,
    pub spec: TensorSpec,
}

/// Output of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    pub name: String,
    pub value: Value,
}

/// Step of a program, which computes the next one or two values. Steps are independent of the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Step<T = Value> {
    /// Creation of a tensor without operands, constants included.
    Create(Creation),
    /// An operation.
    Call(Operation<T>),
    /// The coordinates of the true elements, of which there were `found`.
    ArgWhere { mask: T, index: DType, found: usize },
}

impl<T> Step<T> {
    /// Returns the name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Step::Create(creation) => creation.name(),
            Step::Call(op) => op.name(),
            Step::ArgWhere { .. } => "argwhere",
        }
    }

    /// Visits each operand, in order.
    pub fn visit<'a>(&'a self, mut f: impl FnMut(&'a T)) {
        match self {
            Step::Create(_) => {}
            Step::Call(op) => op.visit(f),
            Step::ArgWhere { mask, .. } => f(mask),
        }
    }

    pub(crate) fn map<U>(self, mut f: impl FnMut(T) -> U) -> Step<U> {
        match self {
            Step::Create(creation) => Step::Create(creation),
            Step::Call(op) => Step::Call(op.map(f)),
            Step::ArgWhere { mask, index, found } => Step::ArgWhere { mask: f(mask), index, found },
        }
    }
}
