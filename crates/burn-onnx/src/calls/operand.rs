use crate::error::{Outcome, fail};
use crate::value::{Expr, Tensor};
use burn_ir::DType;

/// Argument of a call.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// An optional tensor that is missing.
    Absent,
    /// Several tensors.
    Tensors(Vec<Tensor>),
    /// A number.
    Number(Expr),
    /// A list of integers.
    Numbers(Vec<Expr>),
    /// Ranges of dimensions.
    Ranges(Vec<Range>),
    /// Pairs of integers, such as elements added before and after.
    Pairs(Vec<(Expr, Expr)>),
    /// A boolean.
    Flag(bool),
    /// An element type.
    Type(DType),
}

/// Range of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// First index of the range.
    pub start: Expr,
    /// Index after the last one of the range; without one, the range goes to the end of the dimension.
    pub end: Option<Expr>,
    /// Distance between indices; a negative one walks from the end of the range to its start.
    pub step: i64,
}

impl Range {
    /// Creates the range of the whole dimension.
    pub fn full() -> Self {
        Range { start: Expr::Int(0), end: None, step: 1 }
    }

    /// Creates the range from `start` to before `end`.
    pub fn new(start: impl Into<Expr>, end: impl Into<Expr>) -> Self {
        Range { start: start.into(), end: Some(end.into()), step: 1 }
    }
}

impl Operand {
    /// Returns the tensor.
    ///
    /// # Errors
    /// When this is another sort of operand.
    pub fn tensor(&self) -> Outcome<&Tensor> {
        match self {
            Operand::Tensor(tensor) => Ok(tensor),
            _ => fail!("a call expects a tensor, found {self:?}"),
        }
    }

    /// Returns the tensors.
    ///
    /// # Errors
    /// When this is another sort of operand.
    pub fn tensors(&self) -> Outcome<&[Tensor]> {
        match self {
            Operand::Tensors(tensors) => Ok(tensors),
            Operand::Tensor(tensor) => Ok(std::slice::from_ref(tensor)),
            _ => fail!("a call expects tensors, found {self:?}"),
        }
    }

    /// Returns the list of integers.
    ///
    /// # Errors
    /// When this is another sort of operand.
    pub fn numbers(&self) -> Outcome<&[Expr]> {
        match self {
            Operand::Numbers(numbers) => Ok(numbers),
            _ => fail!("a call expects integers, found {self:?}"),
        }
    }

    /// Returns the number.
    ///
    /// # Errors
    /// When this is another sort of operand.
    pub fn number(&self) -> Outcome<&Expr> {
        match self {
            Operand::Number(number) => Ok(number),
            _ => fail!("a call expects a number, found {self:?}"),
        }
    }

    /// Returns the number as an index or a count.
    ///
    /// # Errors
    /// When it is not known or negative.
    pub fn count(&self) -> Outcome<usize> {
        match self.number()?.size() {
            Some(count) => Ok(count),
            None => fail!("a call expects a count that is known, found {self:?}"),
        }
    }

    /// Returns the indices of dimensions.
    ///
    /// # Errors
    /// When one is not known or negative.
    pub fn axes(&self) -> Outcome<Vec<usize>> {
        let numbers = self.numbers()?.iter();
        numbers.map(|number| number.size().ok_or_else(|| "dimensions must be known".into())).collect()
    }

    /// Returns the element type.
    ///
    /// # Errors
    /// When this is another sort of operand.
    pub fn dtype(&self) -> Outcome<DType> {
        match self {
            Operand::Type(dtype) => Ok(*dtype),
            _ => fail!("a call expects an element type, found {self:?}"),
        }
    }
}
