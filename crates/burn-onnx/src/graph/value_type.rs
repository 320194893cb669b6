use burn_ir::DType;

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
