use burn_backend::{Differentiability, Operation};

/// Returns whether gradients flow through `op`, and to which operands: a property of the operation, see
/// [`Operation::traits`].
///
/// ```
/// use burn::backend::autodiff::{Differentiability, Reason, differentiability};
/// use burn::tensor::DType;
/// use burn::tensor::ops::{Elementwise, Index, Operation};
///
/// let to_bool = differentiability(&Operation::Elementwise(Elementwise::Cast { x: (), dtype: DType::Bool }));
/// assert_eq!(to_bool, Differentiability::Constant(Reason::Truth));
/// let gather = differentiability(&Operation::Index(Index::Gather { x: (), dim: 0, indices: () }));
/// assert_eq!((gather.operand(0), gather.operand(1)), (None, Some(Reason::Places)));
/// ```
pub fn differentiability<T>(op: &Operation<T>) -> Differentiability {
    op.traits().differentiability
}
