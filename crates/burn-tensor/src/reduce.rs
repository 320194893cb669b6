use crate::check::check;
use crate::{AsDim, Bool, Numeric, Tensor, TensorKind};
use burn_backend::{Backend, BinaryOp, CompareOp, Dims, HasSpec, Operation, ReduceOp, Scalar};

#[track_caller]
fn reduce<B: Backend, const D: usize, K: TensorKind>(
    x: B::Tensor,
    op: ReduceOp,
    dims: Dims,
) -> Tensor<B, D, K> {
    check(&Operation::Reduce { op, x: x.spec(), dims: dims.clone() });
    Tensor::from_handle(B::reduce(op, x, dims))
}

#[track_caller]
fn reduce_all<B: Backend, const D: usize, K: TensorKind>(x: B::Tensor, op: ReduceOp) -> Tensor<B, 1, K> {
    let all = reduce::<B, D, K>(x, op, (0..D).collect());
    Tensor::from_handle(B::reshape(all.handle, [1].into()))
}

impl<B: Backend, const D: usize, K: Numeric> Tensor<B, D, K> {
    /// Sum of all elements, shape `[1]`. PyTorch: `torch.sum`.
    #[must_use]
    pub fn sum(self) -> Tensor<B, 1, K> {
        reduce_all::<B, D, K>(self.handle, ReduceOp::Sum)
    }

    /// Sum along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn sum_dim(self, dim: impl AsDim) -> Self {
        self.along("sum_dim", ReduceOp::Sum, dim)
    }

    /// Product of all elements, shape `[1]`. PyTorch: `torch.prod`.
    #[must_use]
    pub fn prod(self) -> Tensor<B, 1, K> {
        reduce_all::<B, D, K>(self.handle, ReduceOp::Prod)
    }

    /// Product along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn prod_dim(self, dim: impl AsDim) -> Self {
        self.along("prod_dim", ReduceOp::Prod, dim)
    }

    /// Mean of all elements, shape `[1]`; of integers, truncated. PyTorch: `torch.mean`.
    #[must_use]
    pub fn mean(self) -> Tensor<B, 1, K> {
        let count = self.shape().num_elements();
        mean::<B, D, K>(self.handle, (0..D).collect(), count).reshape([1])
    }

    /// Mean along `dim`, which stays with size 1; of integers, truncated.
    #[track_caller]
    #[must_use]
    pub fn mean_dim(self, dim: impl AsDim) -> Self {
        let dim = dim.resolve("mean_dim", &self.handle.spec().shape);
        let count = self.handle.spec().shape[dim];
        mean(self.handle, Dims::from([dim]), count)
    }

    /// Largest element, shape `[1]`; NaN if any is NaN. PyTorch: `torch.max`.
    ///
    /// # Panics
    /// When there is no element.
    #[track_caller]
    #[must_use]
    pub fn max(self) -> Tensor<B, 1, K> {
        reduce_all::<B, D, K>(self.handle, ReduceOp::Max)
    }

    /// Largest along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn max_dim(self, dim: impl AsDim) -> Self {
        self.along("max_dim", ReduceOp::Max, dim)
    }

    /// Smallest element, shape `[1]`; NaN if any is NaN. PyTorch: `torch.min`.
    ///
    /// # Panics
    /// When there is no element.
    #[track_caller]
    #[must_use]
    pub fn min(self) -> Tensor<B, 1, K> {
        reduce_all::<B, D, K>(self.handle, ReduceOp::Min)
    }

    /// Smallest along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn min_dim(self, dim: impl AsDim) -> Self {
        self.along("min_dim", ReduceOp::Min, dim)
    }

    #[track_caller]
    fn along(self, operation: &str, op: ReduceOp, dim: impl AsDim) -> Self {
        let dim = dim.resolve(operation, &self.handle.spec().shape);
        reduce(self.handle, op, Dims::from([dim]))
    }
}

#[track_caller]
fn mean<B: Backend, const D: usize, K: Numeric>(x: B::Tensor, dims: Dims, count: usize) -> Tensor<B, D, K> {
    if x.dtype().is_float() {
        return reduce(x, ReduceOp::Mean, dims);
    }
    assert!(count > 0, "mean: integers have no mean of nothing, shape {:?}", x.spec().shape);
    let sum = reduce::<B, D, K>(x, ReduceOp::Sum, dims);
    Tensor::from_handle(B::binary_scalar(BinaryOp::Div, sum.handle, count.into()))
}

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    fn truth(self) -> B::Tensor {
        if self.dtype() == burn_backend::DType::Bool {
            return self.handle;
        }
        B::compare_scalar(CompareOp::NotEqual, self.handle, Scalar::Int(0))
    }

    /// Whether any element is true, or not zero; shape `[1]`. PyTorch: `torch.any`.
    #[must_use]
    pub fn any(self) -> Tensor<B, 1, Bool> {
        reduce_all::<B, D, Bool>(self.truth(), ReduceOp::Any)
    }

    /// [`Tensor::any`] along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn any_dim(self, dim: impl AsDim) -> Tensor<B, D, Bool> {
        let dim = dim.resolve("any_dim", &self.handle.spec().shape);
        reduce(self.truth(), ReduceOp::Any, Dims::from([dim]))
    }

    /// Whether every element is true, or not zero; shape `[1]`. PyTorch: `torch.all`.
    #[must_use]
    pub fn all(self) -> Tensor<B, 1, Bool> {
        reduce_all::<B, D, Bool>(self.truth(), ReduceOp::All)
    }

    /// [`Tensor::all`] along `dim`, which stays with size 1.
    #[track_caller]
    #[must_use]
    pub fn all_dim(self, dim: impl AsDim) -> Tensor<B, D, Bool> {
        let dim = dim.resolve("all_dim", &self.handle.spec().shape);
        reduce(self.truth(), ReduceOp::All, Dims::from([dim]))
    }
}

impl<B: Backend, const D: usize> Tensor<B, D> {
    /// `sum((x - mean)^2) / (n - 1)` along `dim`, which stays with size 1. PyTorch: `torch.var`.
    #[track_caller]
    #[must_use]
    pub fn var(self, dim: impl AsDim) -> Self {
        self.var_mean(dim).0
    }

    /// `sum((x - mean)^2) / n` along `dim`. PyTorch: `torch.var(correction=0)`.
    #[track_caller]
    #[must_use]
    pub fn var_bias(self, dim: impl AsDim) -> Self {
        self.var_mean_bias(dim).0
    }

    /// [`Tensor::var`] and the mean. PyTorch: `torch.var_mean`.
    #[track_caller]
    #[must_use]
    pub fn var_mean(self, dim: impl AsDim) -> (Self, Self) {
        let dim = dim.resolve("var_mean", &self.handle.spec().shape);
        self.spread(dim, 1)
    }

    /// [`Tensor::var_bias`] and the mean.
    #[track_caller]
    #[must_use]
    pub fn var_mean_bias(self, dim: impl AsDim) -> (Self, Self) {
        let dim = dim.resolve("var_mean_bias", &self.handle.spec().shape);
        self.spread(dim, 0)
    }

    fn spread(self, dim: usize, correction: usize) -> (Self, Self) {
        let degrees = self.handle.spec().shape[dim] as f64 - correction as f64;
        let mean = self.clone().mean_dim(dim);
        let squares = (self - mean.clone()).square().sum_dim(dim);
        // Where no degree of freedom is left the variance is not a number, as in PyTorch.
        (squares / degrees.max(0.0), mean)
    }
}
