use crate::check::ensure;
use crate::{AsDim, Tensor, TensorError, TensorKind};
use alloc::vec::Vec;
use burn_backend::Backend;
use burn_derive::fallible;

#[fallible]
/// # Shape: rolling and tiling
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Shifts every element by `shift` positions along `dim`, cyclically; a negative shift goes the other
    /// way. PyTorch: `torch.roll`.
    ///
    /// ```text
    /// [a, b, c, d], shift 1 -> [d, a, b, c]
    /// ```
    pub fn try_roll_dim(self, shift: isize, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("roll_dim", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        let shift = match isize::try_from(size) {
            Ok(size) if size > 0 => shift.rem_euclid(size).unsigned_abs(),
            _ => 0,
        };
        if shift == 0 {
            return Ok(self);
        }
        let tail = self.clone().try_narrow(dim, size - shift, shift)?;
        Self::try_cat([tail, self.try_narrow(dim, 0, size - shift)?].into(), dim)
    }

    /// [`Tensor::roll_dim`] along several dimensions, `shifts[i]` along `dims[i]`. PyTorch: `torch.roll`.
    ///
    /// # Errors
    /// When there is not one shift for each dimension, or a dimension does not exist.
    pub fn try_roll(self, shifts: impl AsRef<[isize]>, dims: &[impl AsDim]) -> Result<Self, TensorError> {
        let shifts = shifts.as_ref();
        let (found, expected) = (shifts.len(), dims.len());
        ensure!(found == expected, "roll", "{found} shifts {shifts:?} for {expected} dimensions");
        let mut x = self;
        for (&shift, &dim) in shifts.iter().zip(dims) {
            x = x.try_roll_dim(shift, dim)?;
        }
        Ok(x)
    }

    /// Repeats each element of `dim` `times` times in a row. PyTorch: `torch.repeat_interleave`.
    ///
    /// ```text
    /// [a, b], 3 times -> [a, a, a, b, b, b]
    /// ```
    ///
    /// # Errors
    /// When `dim` does not exist, or the new size does not fit.
    pub fn try_repeat_interleave(self, times: usize, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("repeat_interleave", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        // One copy after the other, then copies of one element beside each other.
        let copies = self.try_repeat_dim(dim, times)?;
        let shape = copies.shape();
        let (outer, inner) = (&shape[..dim], &shape[dim + 1..]);
        let (before, after): (usize, usize) = (outer.iter().product(), inner.iter().product());
        let by_copy: Tensor<B, 4, K> = copies.try_reshape([before, times, size, after])?;
        by_copy.try_swap_dims(1, 2)?.reshaped(shape)
    }

    /// Repeats the tensor `sizes[d]` times along each of the last dimensions. PyTorch: `torch.tile`.
    ///
    /// # Errors
    /// When there are more counts than dimensions.
    pub fn try_tile(self, sizes: impl AsRef<[usize]>) -> Result<Self, TensorError> {
        let sizes = sizes.as_ref();
        let found = sizes.len();
        ensure!(found <= D, "tile", "{found} counts {sizes:?} for the {D} dimensions of {:?}", self.shape());
        let counts: Vec<usize> = core::iter::repeat_n(1, D - found).chain(sizes.iter().copied()).collect();
        self.try_repeat(&counts)
    }
}
