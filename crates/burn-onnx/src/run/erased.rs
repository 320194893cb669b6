//! Tensors whose rank is known at run time, with the methods that tensors have.

use crate::error::{Outcome, fail};
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_ir::{DType, HasSpec, Scalar};
use burn_tensor::{Bool, DynTensor, Numeric, Slice, TensorError, TensorKind};

/// A tensor of any rank. Its methods have the names and arguments of those of `Tensor`, so that the body of a
/// call is the source text that is generated, and is compiled once and not for every rank.
#[derive(Clone, Debug)]
pub(crate) struct AnyRank<K: TensorKind>(DynTensor<Dynamic, K>);

impl<K: TensorKind> AnyRank<K> {
    pub(crate) fn new(handle: DynamicTensor) -> Outcome<Self> {
        let spec = handle.spec();
        if !K::holds(spec.dtype) {
            fail!("expected a {} tensor, got {} {:?}", K::NAME, spec.dtype, spec.shape);
        }
        Ok(AnyRank(DynTensor::from_handle(handle)))
    }

    pub(crate) fn into_handle(self) -> DynamicTensor {
        self.0.into_handle()
    }

    pub(crate) fn try_reshape(self, sizes: Vec<isize>) -> Result<Self, TensorError> {
        self.0.try_reshape(&sizes).map(AnyRank)
    }

    pub(crate) fn try_permute(self, axes: Vec<isize>) -> Result<Self, TensorError> {
        self.0.try_permute(&axes).map(AnyRank)
    }

    pub(crate) fn try_flip(self, axes: Vec<isize>) -> Result<Self, TensorError> {
        self.0.try_flip(&axes).map(AnyRank)
    }

    pub(crate) fn try_expand(self, sizes: Vec<isize>) -> Result<Self, TensorError> {
        let sizes: Vec<usize> = sizes.into_iter().map(|size| size as usize).collect();
        self.0.try_expand(sizes).map(AnyRank)
    }

    pub(crate) fn try_slice(self, ranges: Vec<Slice>) -> Result<Self, TensorError> {
        self.0.try_slice(ranges).map(AnyRank)
    }

    /// Removes dimensions of size 1; `dims` ascend.
    pub(crate) fn try_squeeze_dims(self, dims: &[isize]) -> Result<Self, TensorError> {
        let mut x = self.0;
        for &dim in dims.iter().rev() {
            x = x.try_squeeze_dim(dim)?;
        }
        Ok(AnyRank(x))
    }

    /// Adds dimensions of size 1 at indices of the result; `dims` ascend.
    pub(crate) fn try_unsqueeze_dims(self, dims: &[isize]) -> Result<Self, TensorError> {
        let mut x = self.0;
        for &dim in dims {
            x = x.try_unsqueeze_dim(dim)?;
        }
        Ok(AnyRank(x))
    }

    pub(crate) fn try_select(
        self,
        dim: usize,
        indices: burn_tensor::Tensor<Dynamic, 1, burn_tensor::Int>,
    ) -> Result<Self, TensorError> {
        self.0.try_select(dim, indices).map(AnyRank)
    }

    pub(crate) fn try_equal(self, other: Self) -> Result<AnyRank<Bool>, TensorError> {
        self.0.try_equal(other.0).map(AnyRank)
    }

    pub(crate) fn try_any_dims(self, dims: &[isize]) -> Result<AnyRank<Bool>, TensorError> {
        self.0.try_any_dims(dims, true).map(AnyRank)
    }

    pub(crate) fn try_all_dims(self, dims: &[isize]) -> Result<AnyRank<Bool>, TensorError> {
        self.0.try_all_dims(dims, true).map(AnyRank)
    }
}

macro_rules! same_shape {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {
        impl<K: Numeric> AnyRank<K> {$(
            pub(crate) fn $method(self, $($arg: $ty),*) -> Result<Self, TensorError> {
                self.0.$method($($arg),*).map(AnyRank)
            }
        )*}
    };
}
same_shape! {
    try_add_scalar(value: Scalar);
    try_sub_scalar(value: Scalar);
    try_mul_scalar(value: Scalar);
    try_div_scalar(value: Scalar);
    try_remainder_scalar(value: Scalar);
    try_cast(dtype: DType);
}

macro_rules! reductions {
    ($($method:ident)*) => {
        impl<K: Numeric> AnyRank<K> {$(
            /// Over `dims`, which stay with size 1.
            pub(crate) fn $method(self, dims: &[isize]) -> Result<Self, TensorError> {
                self.0.$method(dims, true).map(AnyRank)
            }
        )*}
    };
}
reductions! { try_sum_dims try_prod_dims try_max_dims try_min_dims }

macro_rules! binary {
    ($($method:ident)*) => {
        impl<K: Numeric> AnyRank<K> {$(
            pub(crate) fn $method(self, other: Self) -> Result<Self, TensorError> {
                self.0.$method(other.0).map(AnyRank)
            }
        )*}
    };
}
binary! { try_add try_sub try_mul try_div try_remainder try_matmul }

macro_rules! compare {
    ($($method:ident)*) => {
        impl<K: TensorKind> AnyRank<K> {$(
            pub(crate) fn $method(self, other: Self) -> Result<AnyRank<Bool>, TensorError> {
                self.0.$method(other.0).map(AnyRank)
            }
        )*}
    };
}
compare! { try_greater try_greater_equal try_lower try_lower_equal }

impl AnyRank<burn_tensor::Float> {
    pub(crate) fn try_mean_dims(self, dims: &[isize]) -> Result<Self, TensorError> {
        self.0.try_mean_dims(dims, true).map(AnyRank)
    }
}
