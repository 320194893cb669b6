//! Half-precision operands of operations that are made of several: squares, powers, products and sums on the
//! way are computed in `f32`, and the result is rounded once, as PyTorch does.
//!
//! The square of 300 overflows in `f16` and that of 1e-4 is zero there, though a norm or a standard deviation
//! of such numbers is an ordinary one.

use crate::{Tensor, TensorKind};
use burn_backend::ops::{narrow, wide};
use burn_backend::{Backend, DType};

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Casts half-precision numbers to `f32`; others are returned as they are.
    pub(crate) fn widened(self) -> Self {
        Self::from_handle(wide::<B>(self.into_handle()))
    }

    /// Rounds the result of an operation to `dtype`, that of its operands.
    pub(crate) fn rounded(self, dtype: DType) -> Self {
        Self::from_handle(narrow::<B>(self.into_handle(), dtype))
    }
}
