use super::{Function, TensorId};
use std::fmt;
use std::sync::Arc;

/// Number of the host: a known one, or an expression of what is known when the model runs.
#[derive(Clone, PartialEq)]
pub enum Expr {
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A boolean.
    Bool(bool),
    /// Size of a dimension of a tensor.
    Dim(TensorId, usize),
    /// Element of a list of numbers that is read from a tensor, by its index in row-major order.
    Element(TensorId, usize),
    /// Function of other numbers.
    Apply(Arc<(Function, Vec<Expr>)>),
}

/// Most functions and numbers of a small expression.
const MOST_PARTS: usize = 1024;

impl Expr {
    /// Whether it is made of few other expressions. Those of a hostile file could double with each node, or
    /// nest as deep as it has nodes.
    pub(crate) fn is_small(&self) -> bool {
        let mut left = MOST_PARTS;
        self.fits(&mut left)
    }

    fn fits(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match self {
            Expr::Apply(call) => call.1.iter().all(|arg| arg.fits(left)),
            _ => true,
        }
    }

    /// Returns whether it is a known number.
    pub fn is_known(&self) -> bool {
        matches!(self, Expr::Int(_) | Expr::Float(_) | Expr::Bool(_))
    }

    /// Returns the integer, if it is known.
    pub fn known(&self) -> Option<i64> {
        match self {
            Expr::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the known integer as a size.
    pub fn size(&self) -> Option<usize> {
        self.known().and_then(|value| usize::try_from(value).ok())
    }

    /// Returns the number, if it is known.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Expr::Int(value) => Some(*value as f64),
            Expr::Float(value) => Some(*value),
            Expr::Bool(value) => Some(f64::from(u8::from(*value))),
            Expr::Dim(..) | Expr::Element(..) | Expr::Apply(_) => None,
        }
    }

    /// Returns whether it is this known integer.
    pub fn is(&self, value: i64) -> bool {
        self.known() == Some(value)
    }

    /// Returns whether it may be a float.
    pub fn is_float(&self) -> bool {
        match self {
            Expr::Float(_) => true,
            Expr::Int(_) | Expr::Bool(_) | Expr::Dim(..) | Expr::Element(..) => false,
            Expr::Apply(call) => match call.0 {
                Function::ToFloat | Function::Sqrt => true,
                Function::ToInt | Function::ToBool => false,
                _ => call.1.iter().any(Expr::is_float),
            },
        }
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        Expr::Int(value)
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        Expr::Int(value.into())
    }
}

impl From<usize> for Expr {
    fn from(value: usize) -> Self {
        Expr::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Expr {
    fn from(value: bool) -> Self {
        Expr::Bool(value)
    }
}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Expr::Float(value)
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Int(value) => write!(f, "{value}"),
            Expr::Float(value) => write!(f, "{value:?}"),
            Expr::Bool(value) => write!(f, "{value}"),
            Expr::Dim(tensor, dim) => write!(f, "dim {dim} of %{}", tensor.0),
            Expr::Element(tensor, place) => write!(f, "element {place} of %{}", tensor.0),
            Expr::Apply(call) => f.debug_tuple(&format!("{:?}", call.0)).field(&call.1).finish(),
        }
    }
}
