use crate::TensorError;
use crate::check::{check_binary, ensure, together};
use crate::create::fits;
use crate::{Bool, Int, Tensor, TensorKind, TensorOptions};
use alloc::vec::Vec;
use burn_backend::{Backend, BinaryOp, DataError, HasSpec, Shape, UnaryOp, block_on};
use burn_derive::fallible;

#[fallible]
/// # Logic and masks of bools, of Bool tensors
impl<B: Backend, const D: usize> Tensor<B, D, Bool> {
    /// Computes the logical not, `!x`. PyTorch: `torch.logical_not`.
    pub fn try_bool_not(self) -> Result<Self, TensorError> {
        Ok(Self::from_handle(B::unary(UnaryOp::Not, self.into_handle())))
    }

    /// Computes the logical not, as [`Tensor::bool_not`]. PyTorch: `torch.logical_not`.
    #[allow(clippy::should_implement_trait)]
    pub fn try_not(self) -> Result<Self, TensorError> {
        Ok(self.bool_not())
    }

    /// Computes the elementwise logical and. PyTorch: `torch.logical_and`.
    pub fn try_bool_and(self, other: Self) -> Result<Self, TensorError> {
        self.logical(BinaryOp::And, other)
    }

    /// Computes the elementwise logical or. PyTorch: `torch.logical_or`.
    pub fn try_bool_or(self, other: Self) -> Result<Self, TensorError> {
        self.logical(BinaryOp::Or, other)
    }

    /// Computes the elementwise exclusive or. PyTorch: `torch.logical_xor`.
    pub fn try_bool_xor(self, other: Self) -> Result<Self, TensorError> {
        self.logical(BinaryOp::Xor, other)
    }

    #[track_caller]
    fn logical(self, op: BinaryOp, other: Self) -> Result<Self, TensorError> {
        let (lhs, rhs) = (self.into_handle(), other.into_handle());
        check_binary(op, lhs.spec(), rhs.spec())?;
        together::<B>(op.name(), &lhs, &[&rhs])?;
        Ok(Self::from_handle(B::binary(op, lhs, rhs)))
    }

    /// Coordinates of the true elements, `[count, D]`, in row-major order; reads the device.
    /// PyTorch: `torch.argwhere`.
    ///
    /// # Errors
    /// When the device failed or this platform cannot wait: see [`Tensor::argwhere_async`].
    pub fn try_argwhere(self) -> Result<Tensor<B, 2, Int>, TensorError> {
        match block_on(self.argwhere_async()) {
            Ok(Ok(indices)) => Ok(indices),
            Ok(Err(error)) => Err(TensorError::data("argwhere", &error)),
            Err(_pending) => Err(TensorError::argument(
                "argwhere",
                format_args!("this platform cannot wait for the device; use argwhere_async"),
            )),
        }
    }

    /// [`Tensor::argwhere`] where a thread cannot wait. PyTorch has no counterpart.
    ///
    /// # Errors
    /// When the device failed.
    pub async fn argwhere_async(self) -> Result<Tensor<B, 2, Int>, DataError> {
        B::argwhere(self.into_handle(), Int::dtype::<B>()).await.map(Tensor::from_handle)
    }

    /// Coordinates of the true elements, one tensor for each dimension. PyTorch:
    /// `torch.nonzero(as_tuple=True)`.
    pub fn try_nonzero(self) -> Result<Vec<Tensor<B, 1, Int>>, TensorError> {
        let all = self.try_argwhere()?;
        let column = |d: usize| all.clone().narrow(1, d, 1).flatten::<1>(0, 1);
        Ok((0..D).map(column).collect())
    }

    /// Creates a mask that is true above the diagonal `offset`, and false on and below it: filling where the
    /// mask is true leaves the lower triangle. The matrices are the last two dimensions. PyTorch:
    /// `torch.ones(..).tril(k) == 0`.
    pub fn try_tril_mask(
        shape: impl Into<Shape>,
        offset: i64,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Ok(diagonal("tril_mask", shape.into(), &options.into())?.greater_elem(offset))
    }

    /// Creates a mask that is true below the diagonal `offset`: filling where the mask is true leaves the
    /// upper triangle. PyTorch: `torch.ones(..).triu(k) == 0`.
    pub fn try_triu_mask(
        shape: impl Into<Shape>,
        offset: i64,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Ok(diagonal("triu_mask", shape.into(), &options.into())?.lower_elem(offset))
    }

    /// Creates a mask that is false on the diagonal `offset`: filling where the mask is true leaves the
    /// diagonal. PyTorch has no counterpart.
    pub fn try_diag_mask(
        shape: impl Into<Shape>,
        offset: i64,
        options: impl Into<TensorOptions<B>>,
    ) -> Result<Self, TensorError> {
        Ok(diagonal("diag_mask", shape.into(), &options.into())?.not_equal_elem(offset))
    }
}

/// Computes column minus row of each element.
#[track_caller]
fn diagonal<B: Backend, const D: usize>(
    operation: &'static str,
    shape: Shape,
    options: &TensorOptions<B>,
) -> Result<Tensor<B, D, Int>, TensorError> {
    options.dtype::<Bool>(operation)?;
    let device = &options.device;
    ensure!(D >= 2 && shape.rank() == D, operation, "shape {shape:?} is not of rank {D}, at least 2");
    fits(operation, &shape, D, Int::dtype::<B>())?;
    let line = |dim: usize| {
        let mut dims = [1; D];
        dims[dim] = shape[dim];
        Tensor::<B, 1, Int>::arange(0..shape[dim] as i64, device).reshape(dims)
    };
    let matrix = line(D - 1) - line(D - 2);
    matrix.try_expand(shape)
}
