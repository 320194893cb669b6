use super::dims::{Has, NamedDim, Names, Ranked};
use super::lists;
use crate::check::ensure;
use crate::{DynTensor, Float, Numeric, Tensor, TensorError, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, DType, HasSpec, Shape};
use burn_derive::fallible;
use core::fmt::{Display, Formatter};
use core::marker::PhantomData;

/// A tensor whose dimensions have the names `N`, a tuple of [`NamedDim`]s. See [the module](crate::named).
#[derive(Clone, Debug)]
pub struct NamedTensor<B: Backend, N: Names, K = Float> {
    pub(super) inner: DynTensor<B, K>,
    names: PhantomData<N>,
}

impl<B: Backend, const D: usize, N: Ranked<D>, K: TensorKind> From<Tensor<B, D, K>> for NamedTensor<B, N, K> {
    fn from(tensor: Tensor<B, D, K>) -> Self {
        NamedTensor::wrap(tensor.into())
    }
}

impl<B: Backend, const D: usize, N: Ranked<D>, K: TensorKind> From<NamedTensor<B, N, K>> for Tensor<B, D, K> {
    fn from(tensor: NamedTensor<B, N, K>) -> Self {
        Tensor::from_handle(tensor.inner.into_handle())
    }
}

#[fallible]
impl<B: Backend, N: Names, K: TensorKind> NamedTensor<B, N, K> {
    /// Wraps a tensor whose rank is the number of names.
    pub(super) fn wrap(inner: DynTensor<B, K>) -> Self {
        const { assert!(lists::distinct(N::KEYS), "a dimension is named twice") }
        NamedTensor { inner, names: PhantomData }
    }

    /// Names the dimensions of `tensor`; as `from`. PyTorch: `x.refine_names`.
    #[doc(alias = "refine_names")]
    #[must_use]
    pub fn new<const D: usize>(tensor: Tensor<B, D, K>) -> Self
    where
        N: Ranked<D>,
    {
        tensor.into()
    }

    /// Returns the tensor without names; as `into`. PyTorch: `x.rename(None)`.
    #[doc(alias = "rename")]
    #[must_use]
    pub fn into_tensor<const D: usize>(self) -> Tensor<B, D, K>
    where
        N: Ranked<D>,
    {
        self.into()
    }

    /// Returns the sizes, in the order of the names. PyTorch: `x.shape`.
    pub fn shape(&self) -> Shape {
        self.inner.shape()
    }

    /// Returns the element type. PyTorch: `x.dtype`.
    pub fn dtype(&self) -> DType {
        self.inner.dtype()
    }

    /// Returns the device of the tensor. PyTorch: `x.device`.
    pub fn device(&self) -> B::Device {
        self.inner.device()
    }

    /// Returns the size of `Dim`: `x.size::<Batch, _>()`. PyTorch: `x.size`.
    pub fn size<Dim: NamedDim, Place>(&self) -> usize
    where
        N: Has<Dim, Place>,
    {
        self.inner.handle().spec().shape[N::PLACE]
    }

    /// Renames the dimension `Old` to `To`: `x.rename::<Word, Key, _>()`. PyTorch: `x.rename`.
    #[must_use]
    pub fn rename<Old: NamedDim, To: NamedDim, Place>(self) -> NamedTensor<B, N::With<To>, K>
    where
        N: Has<Old, Place>,
    {
        NamedTensor::wrap(self.inner)
    }

    /// Permutes the dimensions: `x.permute::<(Word, Batch)>()`. PyTorch: `x.align_to`.
    ///
    /// ```compile_fail,E0080
    /// use burn::tensor::{backend::Backend, named::NamedTensor};
    /// burn::tensor::named_dims!(Row, Column, Depth);
    ///
    /// fn permute<B: Backend>(x: NamedTensor<B, (Row, Column)>) -> NamedTensor<B, (Depth, Row)> {
    ///     x.permute::<(Depth, Row)>()
    /// }
    /// # let _: fn(_) -> _ = permute::<burn_backend::dynamic::Dynamic>;
    /// ```
    pub fn try_permute<M: Names>(self) -> Result<NamedTensor<B, M, K>, TensorError> {
        const {
            assert!(
                lists::permutation(N::KEYS, M::KEYS),
                "these are not the names of the tensor in another order"
            )
        }
        Ok(NamedTensor::wrap(ordered(self.inner, N::KEYS, M::KEYS)))
    }

    /// Aligns the dimensions with the names `M`, for arithmetic: they take the order of `M`, with size 1 for
    /// names that only `M` has. PyTorch: `x.align_to`.
    pub fn try_align<M: Names>(self) -> Result<NamedTensor<B, M, K>, TensorError> {
        const { assert!(lists::within(N::KEYS, M::KEYS), "the tensor has a dimension that is not among these") }
        let own: Vec<&str> = M::KEYS.iter().copied().filter(|key| lists::contains(N::KEYS, key)).collect();
        let mut x = ordered(self.inner, N::KEYS, &own);
        for (place, key) in M::KEYS.iter().enumerate() {
            if !lists::contains(N::KEYS, key) {
                x = x.unsqueeze_dim(place);
            }
        }
        Ok(NamedTensor::wrap(x))
    }

    /// Applies an elementwise function of [`Tensor`]: `x.elementwise(Tensor::exp)`. PyTorch has no
    /// counterpart.
    ///
    /// # Errors
    /// When `function` gives another number of elements.
    pub fn try_elementwise<K2: TensorKind>(
        self,
        function: impl FnOnce(Tensor<B, 1, K>) -> Tensor<B, 1, K2>,
    ) -> Result<NamedTensor<B, N, K2>, TensorError> {
        Ok(NamedTensor::wrap(self.inner.elementwise(function)))
    }
}

fn places<'a>(keys: &'a [&str], wanted: impl Iterator<Item = &'a &'a str>) -> Vec<isize> {
    wanted.filter_map(|key| keys.iter().position(|own| own == key)).map(|place| place as isize).collect()
}

/// Permutes the dimensions `keys` into the order of `wanted`.
fn ordered<B: Backend, K: TensorKind>(x: DynTensor<B, K>, keys: &[&str], wanted: &[&str]) -> DynTensor<B, K> {
    let axes = places(keys, wanted.iter());
    if axes.is_sorted() { x } else { x.permute(&axes) }
}

#[fallible]
impl<B: Backend, N: Names, K: Numeric> NamedTensor<B, N, K> {
    /// Sums over `Dim`, which is removed: `x.sum::<Word, _>()`. PyTorch: `torch.sum`.
    pub fn try_sum<Dim: NamedDim, Place>(self) -> Result<NamedTensor<B, N::Without, K>, TensorError>
    where
        N: Has<Dim, Place>,
    {
        Ok(NamedTensor::wrap(self.inner.sum_dims(&[N::PLACE as isize], false)))
    }
}

#[fallible]
impl<B: Backend, N: Names, K: Numeric> NamedTensor<B, N, K> {
    /// Computes the maximum over `Dim`, which is removed. PyTorch: `torch.amax`.
    ///
    /// # Errors
    /// When `Dim` has no element.
    pub fn try_max<Dim: NamedDim, Place>(self) -> Result<NamedTensor<B, N::Without, K>, TensorError>
    where
        N: Has<Dim, Place>,
    {
        Ok(NamedTensor::wrap(self.inner.try_max_dims(&[N::PLACE as isize], false)?))
    }
}

#[fallible]
impl<B: Backend, N: Names> NamedTensor<B, N, Float> {
    /// Computes the mean over `Dim`, which is removed: `x.mean::<Word, _>()`. PyTorch: `torch.mean`.
    pub fn try_mean<Dim: NamedDim, Place>(self) -> Result<NamedTensor<B, N::Without, Float>, TensorError>
    where
        N: Has<Dim, Place>,
    {
        Ok(NamedTensor::wrap(self.inner.mean_dims(&[N::PLACE as isize], false)))
    }

    /// Computes the softmax `e^x / sum(e^x)` over `Dim`. PyTorch: `torch.softmax`.
    pub fn try_softmax<Dim: NamedDim, Place>(self) -> Result<Self, TensorError>
    where
        N: Has<Dim, Place>,
    {
        let result = B::softmax(self.inner.into_handle(), N::PLACE);
        Ok(NamedTensor::wrap(DynTensor::from_handle(result)))
    }
}

#[fallible]
impl<B: Backend, N: Names> NamedTensor<B, N, Float> {
    /// Computes the product with `other`, whose result has the names `O`: shared names without a position in
    /// `O` are summed over, shared names in `O` are batch dimensions. `x.matmul::<_, (Batch,
    /// Class)>(weight)`. PyTorch: `torch.einsum`.
    ///
    /// # Errors
    /// When a dimension of both has two sizes.
    pub fn try_matmul<M: Names, O: Names>(
        self,
        other: NamedTensor<B, M>,
    ) -> Result<NamedTensor<B, O>, TensorError> {
        const {
            assert!(
                lists::product(N::KEYS, M::KEYS, O::KEYS),
                "a product has the names that only one factor has, and any of those that both have"
            )
        }
        let (left, right) = (self.shape(), other.shape());
        for (key, (&size, name)) in N::KEYS.iter().zip(left.iter().zip(N::NAMES)) {
            let found = M::KEYS.iter().position(|other| other == key).map_or(size, |place| right[place]);
            ensure!(found == size, "matmul", "{name} has the sizes {size} and {found}");
        }
        let both = |key: &&str| lists::contains(N::KEYS, key) && lists::contains(M::KEYS, key);
        let list = |keys: &'static [&'static str], wanted: &dyn Fn(&&str) -> bool| -> Vec<&'static str> {
            keys.iter().copied().filter(|key| wanted(key)).collect()
        };
        let batch = list(O::KEYS, &both);
        let inner = list(N::KEYS, &|key| both(key) && !lists::contains(O::KEYS, key));
        let (rows, columns) = (list(N::KEYS, &|key| !both(key)), list(M::KEYS, &|key| !both(key)));
        let sizes = |names: &[&str], keys: &[&str], shape: &Shape| -> Vec<isize> {
            places(keys, names.iter()).into_iter().map(|place| shape[place as usize] as isize).collect()
        };
        let (batches, inners) = (sizes(&batch, N::KEYS, &left), sizes(&inner, N::KEYS, &left));
        let (row_sizes, column_sizes) = (sizes(&rows, N::KEYS, &left), sizes(&columns, M::KEYS, &right));
        let count = |sizes: &[isize]| sizes.iter().product::<isize>();
        let matrix = |rows: isize, columns: isize| [batches.clone(), [rows, columns].into()].concat();
        let lhs = ordered(self.inner, N::KEYS, &[&batch[..], &rows, &inner].concat());
        let lhs = lhs.try_reshape(&matrix(count(&row_sizes), count(&inners)))?;
        let rhs = ordered(other.inner, M::KEYS, &[&batch[..], &inner, &columns].concat());
        let rhs = rhs.try_reshape(&matrix(count(&inners), count(&column_sizes)))?;
        let result = lhs.try_matmul(rhs)?.try_reshape(&[batches, row_sizes, column_sizes].concat())?;
        Ok(NamedTensor::wrap(ordered(result, &[batch, rows, columns].concat(), O::KEYS)))
    }
}

impl<B: Backend, N: Names, K: TensorKind> Display for NamedTensor<B, N, K> {
    /// Formats the names with their sizes, then the tensor.
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        for (name, size) in N::NAMES.iter().zip(self.shape().iter()) {
            write!(f, "{name}: {size}, ")?;
        }
        self.inner.fmt(f)
    }
}
