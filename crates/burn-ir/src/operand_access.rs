//! Operands of single operations, for code that looks for one of them in a program.

use crate::{
    Attention, BinaryOp, Dims, Elementwise, HasSpec, Index, Layout, Linalg, Operation, Reduction, Scalar,
    UnaryOp,
};

impl<T> Operation<T> {
    /// Returns the dimensions that a reduction reduces; `None` for other operations.
    pub fn reduced_dims(&self) -> Option<&Dims> {
        if let Operation::Reduction(Reduction::Reduce { dims, .. }) = self { Some(dims) } else { None }
    }

    /// Returns the operand that is broadcast; `None` for other operations.
    pub fn as_expand(&self) -> Option<&T> {
        if let Operation::Layout(Layout::Expand { x, .. }) = self { Some(x) } else { None }
    }

    /// Returns the operand that is reshaped; `None` for other operations.
    pub fn as_reshape(&self) -> Option<&T> {
        if let Operation::Layout(Layout::Reshape { x, .. }) = self { Some(x) } else { None }
    }

    /// Returns the factors of a matrix product; `None` for other operations.
    pub fn as_matmul(&self) -> Option<(&T, &T)> {
        if let Operation::Linalg(Linalg::Matmul { lhs, rhs }) = self { Some((lhs, rhs)) } else { None }
    }

    /// Returns the family's own operation; `None` for other families.
    pub fn as_elementwise(&self) -> Option<&Elementwise<T>> {
        if let Operation::Elementwise(op) = self { Some(op) } else { None }
    }
}

impl<T: HasSpec> Operation<T> {
    /// Returns the exclusive upper bound of the indices that an operation reads or writes at; `None` for
    /// other families.
    pub fn index_limit(&self) -> Option<usize> {
        if let Operation::Attention(Attention::CachedAttention(args)) = self {
            return args.attention.key.spec().shape.get(1).copied();
        }
        let Operation::Index(op) = self else { return None };
        match op {
            Index::Gather { x, dim, .. }
            | Index::Scatter { x, dim, .. }
            | Index::Select { x, dim, .. }
            | Index::SelectAssign { x, dim, .. } => Some(x.spec().shape[*dim]),
        }
    }
}

impl<T> Elementwise<T> {
    /// Returns the function of one tensor; `None` for other operations.
    pub fn as_unary(&self) -> Option<UnaryOp> {
        if let Elementwise::Unary { op, .. } = self { Some(*op) } else { None }
    }

    /// Returns the operands of the function `op` of two tensors; `None` for other operations.
    pub fn as_binary(&self, op: BinaryOp) -> Option<(&T, &T)> {
        if let Elementwise::Binary { op: found, lhs, rhs } = self
            && *found == op
        {
            return Some((lhs, rhs));
        }
        None
    }

    /// Returns the bounds of a clamp; `None` for other operations.
    pub fn as_clamp(&self) -> Option<(Option<Scalar>, Option<Scalar>)> {
        if let Elementwise::Clamp { min, max, .. } = self { Some((*min, *max)) } else { None }
    }

    /// Returns whether the operation changes the dtype.
    pub fn is_cast(&self) -> bool {
        matches!(self, Elementwise::Cast { .. })
    }

    /// Returns the numbers beside the operands.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> {
        let scalars = match self {
            Elementwise::BinaryScalar { rhs, .. } | Elementwise::CompareScalar { rhs, .. } => {
                [Some(*rhs), None]
            }
            Elementwise::Clamp { min, max, .. } => [*min, *max],
            Elementwise::MaskFill { value, .. } => [Some(*value), None],
            Elementwise::Unary { .. } | Elementwise::Binary { .. } | Elementwise::Compare { .. } => [None; 2],
            Elementwise::MaskWhere { .. } | Elementwise::Cast { .. } => [None; 2],
        };
        scalars.into_iter().flatten()
    }

    /// Returns the first operand that is no mask.
    pub fn first_value(&self) -> &T {
        match self {
            Elementwise::Unary { x, .. } | Elementwise::Clamp { x, .. } | Elementwise::Cast { x, .. } => x,
            Elementwise::MaskFill { x, .. } | Elementwise::MaskWhere { on: x, .. } => x,
            Elementwise::Binary { lhs, .. } | Elementwise::Compare { lhs, .. } => lhs,
            Elementwise::BinaryScalar { lhs, .. } | Elementwise::CompareScalar { lhs, .. } => lhs,
        }
    }
}
