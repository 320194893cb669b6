use crate::check::check;
use crate::dim::resolve_all;
use crate::{AsDim, Tensor, TensorKind};
use alloc::vec::Vec;
use burn_backend::{Backend, Dims, HasSpec, Operation, Shape};

/// Sizes of a new shape of rank `D`, of which one may be `-1`: whatever is left.
pub trait ReshapeArgs<const D: usize> {
    fn sizes(self) -> [isize; D];
}

/// Sizes to expand to, of which any may be `-1`: as it is.
pub trait ExpandArgs<const D: usize> {
    fn sizes(self) -> [isize; D];
}

macro_rules! sizes {
    ($($trait:ident, $operation:literal;)*) => {$(
        impl<I: AsDim, const D: usize> $trait<D> for [I; D] {
            fn sizes(self) -> [isize; D] {
                self.map(AsDim::as_isize)
            }
        }
        impl<const D: usize> $trait<D> for Shape {
            #[track_caller]
            fn sizes(self) -> [isize; D] {
                ranked($operation, &self).map(AsDim::as_isize)
            }
        }
        impl<I: AsDim + core::fmt::Debug, const D: usize> $trait<D> for Vec<I> {
            #[track_caller]
            fn sizes(self) -> [isize; D] {
                ranked($operation, &self).map(AsDim::as_isize)
            }
        }
    )*};
}
sizes! {
    ReshapeArgs, "reshape";
    ExpandArgs, "expand";
}

#[track_caller]
fn ranked<I: Copy + core::fmt::Debug, const D: usize>(operation: &str, sizes: &[I]) -> [I; D] {
    let Ok(sizes) = sizes.try_into() else {
        panic!("{operation}: {sizes:?} has {} sizes, the result has rank {D}", sizes.len());
    };
    sizes
}

#[track_caller]
fn inferred(from: &Shape, sizes: &[isize]) -> Shape {
    let known: usize = sizes.iter().filter(|&&size| size >= 0).map(|size| size.unsigned_abs()).product();
    let open = sizes.iter().filter(|&&size| size < 0).count();
    assert!(
        open <= 1 && !sizes.iter().any(|&size| size < -1),
        "reshape: {sizes:?} leaves more than one size open"
    );
    let count = from.num_elements();
    assert!(
        open == 0 || (known > 0 && count.is_multiple_of(known)),
        "reshape: the {count} elements of {from:?} do not fill {sizes:?}"
    );
    let size = |&size: &isize| if size < 0 { count / known } else { size.unsigned_abs() };
    sizes.iter().map(size).collect()
}

impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    #[track_caller]
    pub(crate) fn reshaped<const D2: usize>(self, shape: Shape) -> Tensor<B, D2, K> {
        check(&Operation::Reshape { x: self.handle.spec(), shape: shape.clone() });
        Tensor::from_handle(B::reshape(self.handle, shape))
    }

    /// The same elements in row-major order in another shape; one size may be `-1`. PyTorch: `torch.reshape`.
    ///
    /// ```
    /// # use burn_tensor::{Tensor, backend::Backend};
    /// fn flat<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 2> {
    ///     let [batch, ..] = images.dims();
    ///     images.reshape([batch as i64, -1])
    /// }
    /// ```
    ///
    /// # Panics
    /// When the number of elements differs.
    #[track_caller]
    #[must_use]
    pub fn reshape<const D2: usize>(self, shape: impl ReshapeArgs<D2>) -> Tensor<B, D2, K> {
        let shape = inferred(&self.handle.spec().shape, &shape.sizes());
        self.reshaped(shape)
    }

    /// Dimensions `start..=end` become one. PyTorch: `torch.flatten`.
    #[track_caller]
    #[must_use]
    pub fn flatten<const D2: usize>(self, start: impl AsDim, end: impl AsDim) -> Tensor<B, D2, K> {
        let shape = self.shape();
        let (start, end) = (start.resolve("flatten", &shape), end.resolve("flatten", &shape));
        let fits = start <= end && D2 + end == D + start;
        assert!(fits, "flatten: dimensions {start}..={end} of {shape:?} do not become rank {D2}");
        let inner = shape[start..=end].iter().product();
        self.reshaped(
            shape[..start].iter().copied().chain([inner]).chain(shape[end + 1..].iter().copied()).collect(),
        )
    }

    /// Without its dimensions of size 1, of which there are `D - D2`. PyTorch: `torch.squeeze`.
    #[track_caller]
    #[must_use]
    pub fn squeeze<const D2: usize>(self) -> Tensor<B, D2, K> {
        let shape = self.shape();
        let kept: Shape = shape.iter().copied().filter(|&size| size != 1).collect();
        let rank = kept.rank();
        assert!(rank == D2, "squeeze: {shape:?} without its dimensions of size 1 has rank {rank}, not {D2}");
        self.reshaped(kept)
    }

    /// Without `dim`, which has size 1.
    #[track_caller]
    #[must_use]
    pub fn squeeze_dim<const D2: usize>(self, dim: impl AsDim) -> Tensor<B, D2, K> {
        let dim = dim.resolve("squeeze_dim", &self.handle.spec().shape);
        self.without("squeeze_dim", &[dim])
    }

    /// Without `dims`, which have size 1.
    #[track_caller]
    #[must_use]
    pub fn squeeze_dims<const D2: usize>(self, dims: &[isize]) -> Tensor<B, D2, K> {
        let shape = self.shape();
        let dims = resolve_all(dims, "squeeze_dims", &shape);
        self.without("squeeze_dims", &dims)
    }

    #[track_caller]
    fn without<const D2: usize>(self, operation: &str, dims: &[usize]) -> Tensor<B, D2, K> {
        let shape = self.shape();
        for &dim in dims {
            assert!(
                shape[dim] == 1,
                "{operation}: dimension {dim} of {shape:?} has size {}, not 1",
                shape[dim]
            );
        }
        let kept: Shape = (0..D).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
        let rank = kept.rank();
        assert!(rank == D2, "{operation}: {shape:?} without {dims:?} has rank {rank}, not {D2}");
        self.reshaped(kept)
    }

    /// With dimensions of size 1 in front, up to rank `D2`.
    #[track_caller]
    #[must_use]
    pub fn unsqueeze<const D2: usize>(self) -> Tensor<B, D2, K> {
        assert!(D2 >= D, "unsqueeze: rank {D} is more than {D2}");
        let shape = self.shape();
        self.reshaped(core::iter::repeat_n(1, D2 - D).chain(shape.iter().copied()).collect())
    }

    /// With a dimension of size 1 at `dim` of the result. PyTorch: `torch.unsqueeze`.
    #[track_caller]
    #[must_use]
    pub fn unsqueeze_dim<const D2: usize>(self, dim: impl AsDim) -> Tensor<B, D2, K> {
        assert!(D2 == D + 1, "unsqueeze_dim: the result has rank {}, not {D2}", D + 1);
        let shape = self.shape();
        let dim = dim.resolve("unsqueeze_dim", &[1; D2]);
        self.reshaped(shape[..dim].iter().copied().chain([1]).chain(shape[dim..].iter().copied()).collect())
    }

    /// With dimensions of size 1 at `dims` of the result. NumPy: `numpy.expand_dims`.
    ///
    /// # Panics
    /// When `dims` names a dimension twice, or are not the `D2 - D` new ones.
    #[track_caller]
    #[must_use]
    pub fn unsqueeze_dims<const D2: usize>(self, dims: &[isize]) -> Tensor<B, D2, K> {
        let added = dims.len();
        assert!(D + added == D2, "unsqueeze_dims: {added} more than rank {D} is not {D2}");
        let mut shape = [0; D2];
        for dim in dims {
            let dim = dim.resolve("unsqueeze_dims", &[1; D2]);
            assert!(shape[dim] == 0, "unsqueeze_dims: dimension {dim} is named twice in {dims:?}");
            shape[dim] = 1;
        }
        let places = shape.iter_mut().filter(|size| **size == 0);
        places.zip(self.dims()).for_each(|(size, own)| *size = own);
        self.reshaped(shape.into())
    }

    /// Repeats dimensions of size 1, and adds dimensions in front; `-1` leaves a size as it is.
    /// PyTorch: `x.expand`.
    #[track_caller]
    #[must_use]
    pub fn expand<const D2: usize>(self, shape: impl ExpandArgs<D2>) -> Tensor<B, D2, K> {
        let (own, sizes) = (self.shape(), shape.sizes());
        let mut shape: Shape = core::iter::repeat_n(0, D2).collect();
        for (d, &size) in sizes.iter().enumerate() {
            let kept = (d + D).checked_sub(D2).map(|d| own[d]);
            let Some(size) = usize::try_from(size).ok().or(kept) else {
                panic!("expand: a new dimension needs a size, found {sizes:?}");
            };
            shape[d] = size;
        }
        check(&Operation::Expand { x: self.handle.spec(), shape: shape.clone() });
        Tensor::from_handle(B::expand(self.handle, shape))
    }

    /// Dimension `d` of the result is dimension `axes[d]`. PyTorch: `torch.permute`.
    #[track_caller]
    #[must_use]
    pub fn permute<I: AsDim>(self, axes: [I; D]) -> Self {
        let shape = self.shape();
        self.permuted(resolve_all(&axes, "permute", &shape))
    }

    #[track_caller]
    fn permuted(self, axes: Dims) -> Self {
        check(&Operation::Permute { x: self.handle.spec(), axes: axes.clone() });
        Self::from_handle(B::permute(self.handle, axes))
    }

    /// Dimension `source` moves to `destination`. PyTorch: `torch.movedim`.
    #[track_caller]
    #[must_use]
    pub fn movedim(self, source: impl AsDim, destination: impl AsDim) -> Self {
        let shape = self.shape();
        let (source, destination) =
            (source.resolve("movedim", &shape), destination.resolve("movedim", &shape));
        let mut axes: Vec<usize> = (0..D).filter(|&d| d != source).collect();
        axes.insert(destination, source);
        self.permuted(Dims::from(&axes[..]))
    }

    /// Two dimensions change places. PyTorch: `torch.swapaxes`.
    #[track_caller]
    #[must_use]
    pub fn swap_dims(self, first: impl AsDim, second: impl AsDim) -> Self {
        let shape = self.shape();
        let mut axes: Dims = (0..D).collect();
        axes.swap(first.resolve("swap_dims", &shape), second.resolve("swap_dims", &shape));
        self.permuted(axes)
    }

    /// The last two dimensions change places. PyTorch: `x.mT`.
    ///
    /// # Panics
    /// When the rank is below 2.
    #[track_caller]
    #[must_use]
    pub fn transpose(self) -> Self {
        assert!(D >= 2, "transpose: needs at least rank 2, found {:?}", self.shape());
        self.swap_dims(-2, -1)
    }

    /// The other way round along each of `axes`. PyTorch: `torch.flip`.
    #[track_caller]
    #[must_use]
    pub fn flip<I: AsDim, const N: usize>(self, axes: [I; N]) -> Self {
        let shape = self.shape();
        let axes = resolve_all(&axes, "flip", &shape);
        check(&Operation::Flip { x: self.handle.spec(), axes: axes.clone() });
        Self::from_handle(B::flip(self.handle, axes))
    }

    /// `times` copies one after the other along `dim`.
    #[track_caller]
    #[must_use]
    pub fn repeat_dim(self, dim: impl AsDim, times: usize) -> Self {
        let dim = dim.resolve("repeat_dim", &self.handle.spec().shape);
        check(&Operation::RepeatDim { x: self.handle.spec(), dim, times });
        Self::from_handle(B::repeat_dim(self.handle, dim, times))
    }

    /// `sizes[d]` copies along each dimension. PyTorch: `x.repeat`.
    ///
    /// # Panics
    /// When there is not one count for each dimension.
    #[track_caller]
    #[must_use]
    pub fn repeat(self, sizes: &[usize]) -> Self {
        let found = sizes.len();
        assert!(found == D, "repeat: {found} counts {sizes:?} for the {D} dimensions of {:?}", self.shape());
        let repeat = |x: Self, (dim, &times): (usize, &usize)| {
            if times == 1 { x } else { x.repeat_dim(dim, times) }
        };
        sizes.iter().enumerate().fold(self, repeat)
    }
}
