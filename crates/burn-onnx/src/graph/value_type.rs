use burn_ir::DType;
use std::fmt;

/// Size of a dimension, as a model declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A size.
    Known(usize),
    /// A size with a name, the same wherever the name stands.
    Named(String),
    /// Any size.
    Unknown,
}

/// The size, the name, or `?` for any size.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dimension::Known(size) => write!(f, "{size}"),
            Dimension::Named(name) => f.write_str(name),
            Dimension::Unknown => f.write_str("?"),
        }
    }
}

/// Type of an input or output, as a model declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A tensor; without dimensions, its rank is not declared.
    Tensor {
        /// Element type.
        dtype: DType,
        /// Size of each dimension.
        dims: Option<Vec<Dimension>>,
    },
    /// A list of values.
    Sequence(Box<ValueType>),
    /// A value that may be missing.
    Optional(Box<ValueType>),
    /// A type without a counterpart here, and why.
    Unsupported(String),
    /// Undeclared type.
    Undeclared,
}

/// Name and type of an input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueInfo {
    /// Name of the value.
    pub name: String,
    /// Type of the value.
    pub value_type: ValueType,
}
