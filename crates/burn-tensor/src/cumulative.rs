use crate::check::check;
use crate::{AsDim, Numeric, Tensor, TensorError};
use burn_backend::{Backend, CumulativeOp, Operation, Reduction};
use burn_derive::fallible;

#[fallible]
/// # Cumulative operations, of Float and Int tensors
impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    #[track_caller]
    fn running(
        self,
        operation: &'static str,
        op: CumulativeOp,
        dim: impl AsDim,
    ) -> Result<Self, TensorError> {
        let dim = dim.resolve(operation, &self.spec().shape)?;
        check(&Operation::Reduction(Reduction::Cumulative { op, x: self.spec(), dim }))?;
        Ok(Self::from_handle(B::cumulative(op, self.into_handle(), dim)))
    }

    /// Computes the cumulative sum: `y_i = x_0 + .. + x_i` along `dim`. PyTorch: `torch.cumsum`.
    pub fn try_cumsum(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.running("cumsum", CumulativeOp::Sum, dim)
    }

    /// Computes the cumulative product: `y_i = x_0 * .. * x_i` along `dim`. PyTorch: `torch.cumprod`.
    pub fn try_cumprod(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.running("cumprod", CumulativeOp::Prod, dim)
    }

    /// Computes the cumulative minimum along `dim`; NaN from the first NaN on. PyTorch: `torch.cummin`, its
    /// values.
    pub fn try_cummin(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.running("cummin", CumulativeOp::Min, dim)
    }

    /// Computes the cumulative maximum along `dim`; NaN from the first NaN on. PyTorch: `torch.cummax`, its
    /// values.
    pub fn try_cummax(self, dim: impl AsDim) -> Result<Self, TensorError> {
        self.running("cummax", CumulativeOp::Max, dim)
    }
}

#[fallible]
/// # Cumulative operations, of Float tensors
impl<B: Backend, const D: usize> Tensor<B, D> {
    /// Computes `y_i = log(e^x_0 + .. + e^x_i)` along `dim`, without overflow on the way. PyTorch:
    /// `torch.logcumsumexp`.
    pub fn try_logcumsumexp(self, dim: impl AsDim) -> Result<Self, TensorError> {
        let dim = dim.resolve("logcumsumexp", &self.spec().shape)?;
        let size = self.spec().shape[dim];
        let dtype = self.dtype();
        let (mut x, mut step) = (self.widened(), 1);
        // After each round an element covers twice as many before it, each sum with its own largest as the
        // scale.
        while step < size {
            let before = x.clone().narrow(dim, 0, size - step);
            let (head, tail) = (x.clone().narrow(dim, 0, step), x.narrow(dim, step, size - step));
            x = Self::try_cat([head, tail.try_log_add_exp(before)?].into(), dim)?;
            step *= 2;
        }
        Ok(x.rounded(dtype))
    }
}
