//! Operands of one kind and different dtypes: brought to one by [`DType::promote`], as PyTorch does.

use alloc::vec::Vec;
use burn_backend::{Backend, DType, HasSpec};

/// Casts both operands to their common dtype. Equal dtypes cost one comparison.
#[inline]
pub fn promoted<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> (B::Tensor, B::Tensor) {
    if lhs.spec().dtype == rhs.spec().dtype { (lhs, rhs) } else { differing::<B>(lhs, rhs) }
}

#[cold]
#[inline(never)]
fn differing<B: Backend>(lhs: B::Tensor, rhs: B::Tensor) -> (B::Tensor, B::Tensor) {
    let dtype = lhs.dtype().promote(rhs.dtype());
    (cast::<B>(lhs, dtype), cast::<B>(rhs, dtype))
}

/// Casts `values` to the dtype of `target`, into which they are written.
pub fn as_target<B: Backend>(values: B::Tensor, target: &B::Tensor) -> B::Tensor {
    cast::<B>(values, target.spec().dtype)
}

/// Casts all tensors to their common dtype.
pub fn all_promoted<B: Backend>(tensors: Vec<B::Tensor>) -> Vec<B::Tensor> {
    let Some(first) = tensors.first().map(HasSpec::dtype) else { return tensors };
    if tensors.iter().all(|tensor| tensor.spec().dtype == first) {
        return tensors;
    }
    let dtype = tensors.iter().fold(first, |dtype, tensor| dtype.promote(tensor.dtype()));
    tensors.into_iter().map(|tensor| cast::<B>(tensor, dtype)).collect()
}

fn cast<B: Backend>(x: B::Tensor, dtype: DType) -> B::Tensor {
    if x.spec().dtype == dtype { x } else { B::cast(x, dtype) }
}
