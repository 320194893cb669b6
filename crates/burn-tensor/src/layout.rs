use crate::TensorError;
use crate::check::check;
use crate::check::ensure;
use crate::dim::resolve_all;
use crate::layout_args::{ExpandArgs, FlipArgs, MovedimArgs, PermuteArgs, ReshapeArgs};
use crate::{AsDim, Tensor, TensorKind, TensorPrimitive};
use burn_backend::{Backend, Dims, Layout, Operation, Shape};
use burn_derive::fallible;

/// Returns the permutation that moves `source[i]` to `destination[i]`.
#[track_caller]
fn moved(rank: usize, source: &[usize], destination: &[usize]) -> Result<Dims, TensorError> {
    ensure!(
        source.len() == destination.len(),
        "movedim",
        "the lists of dimensions differ in length; expected as many destinations as sources, got {source:?} and \
         {destination:?}"
    );
    for dims in [source, destination] {
        let twice = (1..dims.len()).find(|&i| dims[..i].contains(&dims[i]));
        ensure!(
            twice.is_none(),
            "movedim",
            "a dimension is named twice; expected distinct ones, got {dims:?}"
        );
    }
    let mut kept = (0..rank).filter(|d| !source.contains(d));
    let axis = |to: usize| match destination.iter().position(|&d| d == to) {
        Some(i) => Some(source[i]),
        None => kept.next(),
    };
    Ok((0..rank).filter_map(axis).collect())
}

#[track_caller]
pub(crate) fn inferred(from: &Shape, sizes: &[isize]) -> Result<Shape, TensorError> {
    let given = sizes.iter().filter(|&&size| size >= 0).map(|size| size.unsigned_abs());
    let known = given.fold(1, usize::saturating_mul);
    let open = sizes.iter().filter(|&&size| size < 0).count();
    ensure!(
        open <= 1 && !sizes.iter().any(|&size| size < -1),
        "reshape",
        "{sizes:?} leaves more than one size open"
    );
    let count = from.num_elements();
    ensure!(
        open == 0 || (known > 0 && count.is_multiple_of(known)),
        "reshape",
        "the {count} elements of {from:?} do not fill {sizes:?}"
    );
    let size = |&size: &isize| if size < 0 { count / known } else { size.unsigned_abs() };
    Ok(sizes.iter().map(size).collect())
}

/// Returns `own` with dimensions of size 1 at `dims` of the result, which has rank `rank`.
#[track_caller]
fn with_ones(own: &[usize], rank: usize, dims: &[isize]) -> Result<Shape, TensorError> {
    let (added, found) = (dims.len(), own.len());
    ensure!(found + added == rank, "unsqueeze_dims", "{added} more than rank {found} is not {rank}");
    let mut is_new = Dims::repeat(0, rank);
    for &dim in dims {
        let first = dim.resolve("unsqueeze_dims", &Dims::repeat(1, rank))?;
        let is_free = |&at: &usize| is_new[at] == 0;
        let free = if dim < 0 { (0..=first).rev().find(is_free) } else { (first..rank).find(is_free) };
        ensure!(
            free.is_some(),
            "unsqueeze_dims",
            "dimension {dim} is named again in {dims:?}, and no dimension {} it is free",
            if dim < 0 { "before" } else { "after" }
        );
        is_new[free.unwrap_or(first)] = 1;
    }
    let mut own = own.iter().copied();
    Ok(is_new.iter().map(|&is_new| if is_new == 1 { 1 } else { own.next().unwrap_or(1) }).collect())
}

#[fallible]
/// # Shape: reshaping, permutation, repetition
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    #[track_caller]
    pub(crate) fn reshaped<const D2: usize>(self, shape: Shape) -> Result<Tensor<B, D2, K>, TensorError> {
        check(&Operation::Layout(Layout::Reshape { x: self.spec(), shape: shape.clone() }))?;
        Ok(Tensor::from_handle(B::reshape(self.into_handle(), shape)))
    }

    #[doc(alias = "view")]
    /// Reshapes to another shape, with the elements in row-major order; one size may be `-1`. PyTorch:
    /// `torch.reshape`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn flat<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 2> {
    ///     let [batch, ..] = images.dims();
    ///     images.reshape([batch as i64, -1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When the number of elements differs.
    pub fn try_reshape<const D2: usize, S: ReshapeArgs<D2>>(
        self,
        shape: S,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = inferred(&self.spec().shape, &shape.sizes()?)?;
        self.reshaped(shape)
    }

    /// Flattens the dimensions `start..=end` into one. PyTorch: `torch.flatten`.
    pub fn try_flatten<const D2: usize>(
        self,
        start: impl AsDim,
        end: impl AsDim,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = self.shape();
        let (start, end) = (start.resolve("flatten", &shape)?, end.resolve("flatten", &shape)?);
        let fits = start <= end && D2 + end == D + start;
        ensure!(fits, "flatten", "dimensions {start}..={end} of {shape:?} do not become rank {D2}");
        let inner = shape[start..=end].iter().product();
        self.reshaped(
            shape[..start].iter().copied().chain([inner]).chain(shape[end + 1..].iter().copied()).collect(),
        )
    }

    /// Removes the dimensions of size 1, of which there are `D - D2`. PyTorch: `torch.squeeze`.
    pub fn try_squeeze<const D2: usize>(self) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = self.shape();
        let kept: Shape = shape.iter().copied().filter(|&size| size != 1).collect();
        let rank = kept.rank();
        ensure!(
            rank == D2,
            "squeeze",
            "{shape:?} without its dimensions of size 1 has rank {rank}, not {D2}"
        );
        self.reshaped(kept)
    }

    /// Removes the dimension `dim` of size 1. PyTorch: `torch.squeeze(dim)`.
    pub fn try_squeeze_dim<const D2: usize>(self, dim: impl AsDim) -> Result<Tensor<B, D2, K>, TensorError> {
        let dim = dim.resolve("squeeze_dim", &self.spec().shape)?;
        self.without("squeeze_dim", &[dim])
    }

    /// Removes the dimensions `dims` of size 1. PyTorch: `torch.squeeze(dims)`.
    pub fn try_squeeze_dims<const D2: usize>(
        self,
        dims: impl AsRef<[isize]>,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = self.shape();
        let dims = resolve_all(dims.as_ref(), "squeeze_dims", &shape)?;
        self.without("squeeze_dims", &dims)
    }

    #[track_caller]
    pub(crate) fn without<const D2: usize>(
        self,
        operation: &'static str,
        dims: &[usize],
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = self.shape();
        for &dim in dims {
            ensure!(
                shape[dim] == 1,
                operation,
                "dimension {dim} of {shape:?} has size {}, not 1",
                shape[dim]
            );
        }
        let kept: Shape = (0..D).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
        let rank = kept.rank();
        ensure!(rank == D2, operation, "{shape:?} without {dims:?} has rank {rank}, not {D2}");
        self.reshaped(kept)
    }

    /// Inserts dimensions of size 1 in front, up to rank `D2`. PyTorch: `x[None, None]`.
    pub fn try_unsqueeze<const D2: usize>(self) -> Result<Tensor<B, D2, K>, TensorError> {
        ensure!(D2 >= D, "unsqueeze", "rank {D} is more than {D2}");
        let shape = self.shape();
        self.reshaped(core::iter::repeat_n(1, D2 - D).chain(shape.iter().copied()).collect())
    }

    /// Inserts a dimension of size 1 at `dim` of the result. PyTorch: `torch.unsqueeze`.
    pub fn try_unsqueeze_dim<const D2: usize>(
        self,
        dim: impl AsDim,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        ensure!(
            D2 == D + 1,
            "unsqueeze_dim",
            "the result of {:?} has rank {}, not {D2}",
            self.shape(),
            D + 1
        );
        let shape = self.shape();
        let dim = dim.resolve("unsqueeze_dim", &[1; D2])?;
        self.reshaped(shape[..dim].iter().copied().chain([1]).chain(shape[dim..].iter().copied()).collect())
    }

    /// Inserts dimensions of size 1 at `dims` of the result. A dimension that is named again stands for the
    /// next free one: after it, or before it if it counts from the end. NumPy: `numpy.expand_dims`. PyTorch
    /// has no counterpart.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn widened<B: Backend>(x: Tensor<B, 3>) -> Tensor<B, 6> {
    ///     // [3, 4, 5] -> [1, 3, 4, 5, 1, 1]
    ///     x.unsqueeze_dims(&[0, -1, -1])
    /// }
    /// ```
    ///
    /// # Errors
    /// When `dims` are not the `D2 - D` new ones, a dimension does not exist, or none is free for one that is
    /// named again.
    pub fn try_unsqueeze_dims<const D2: usize>(
        self,
        dims: impl AsRef<[isize]>,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let shape = with_ones(&self.spec().shape, D2, dims.as_ref())?;
        self.reshaped(shape)
    }

    /// Repeats dimensions of size 1, and adds dimensions in front; `-1` leaves a size as it is.
    /// PyTorch: `x.expand`.
    pub fn try_expand<const D2: usize>(
        self,
        shape: impl ExpandArgs<D2>,
    ) -> Result<Tensor<B, D2, K>, TensorError> {
        let (own, sizes) = (self.shape(), shape.sizes()?);
        let mut shape: Shape = core::iter::repeat_n(0, D2).collect();
        for (d, &size) in sizes.iter().enumerate() {
            let kept = (d + D).checked_sub(D2).map(|d| own[d]);
            ensure!(
                size >= -1,
                "expand",
                "a size is at least 0, or -1 to leave it as it is; found {sizes:?}"
            );
            let size = usize::try_from(size).ok().or(kept);
            ensure!(size.is_some(), "expand", "a new dimension needs a size, found {sizes:?} for {own:?}");
            shape[d] = size.unwrap_or(0);
        }
        check(&Operation::Layout(Layout::Expand { x: self.spec(), shape: shape.clone() }))?;
        Ok(Tensor::from_handle(B::expand(self.into_handle(), shape)))
    }

    /// Permutes the dimensions: dimension `d` of the result is dimension `axes[d]`. PyTorch: `torch.permute`.
    ///
    /// # Errors
    /// When there is not one axis for each dimension, or one does not exist or is named twice.
    pub fn try_permute(self, axes: impl PermuteArgs<D>) -> Result<Self, TensorError> {
        let shape = self.shape();
        self.permuted(resolve_all(&axes.axes()?, "permute", &shape)?)
    }

    #[track_caller]
    pub(crate) fn permuted(self, axes: Dims) -> Result<Self, TensorError> {
        check(&Operation::Layout(Layout::Permute { x: self.spec(), axes: axes.clone() }))?;
        if let (Some(blocks), [1, 0]) = (self.blocks(), &axes[..]) {
            return Ok(Self::from_any(TensorPrimitive::Blocks(blocks.transpose())));
        }
        Ok(Self::from_handle(B::permute(self.into_handle(), axes)))
    }

    /// Moves dimension `source` to `destination`; of lists, each dimension of the one to the same position of
    /// the other. The other dimensions stay in order. PyTorch: `torch.movedim`.
    ///
    /// ```
    /// use burn::tensor::{Tensor, backend::Backend};
    /// fn channels_last<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
    ///     images.movedim([2, 3], [1, 2])
    /// }
    /// ```
    ///
    /// # Errors
    /// When a dimension does not exist or is named twice, or the lists differ in length.
    pub fn try_movedim(
        self,
        source: impl MovedimArgs,
        destination: impl MovedimArgs,
    ) -> Result<Self, TensorError> {
        let shape = self.shape();
        let source = resolve_all(&source.dims(), "movedim", &shape)?;
        let destination = resolve_all(&destination.dims(), "movedim", &shape)?;
        self.permuted(moved(D, &source, &destination)?)
    }

    /// Swaps two dimensions. PyTorch: `torch.swapaxes`.
    pub fn try_swap_dims(self, first: impl AsDim, second: impl AsDim) -> Result<Self, TensorError> {
        let shape = self.shape();
        let mut axes: Dims = (0..D).collect();
        axes.swap(first.resolve("swap_dims", &shape)?, second.resolve("swap_dims", &shape)?);
        self.permuted(axes)
    }

    /// Swaps the last two dimensions. PyTorch: `x.mT`.
    ///
    /// # Errors
    /// When the rank is below 2.
    pub fn try_transpose(self) -> Result<Self, TensorError> {
        ensure!(D >= 2, "transpose", "needs at least rank 2, found {:?}", self.shape());
        self.try_swap_dims(-2, -1)
    }

    /// Reverses the order of elements along each of `axes`, of which there may be none. PyTorch:
    /// `torch.flip`.
    ///
    /// # Errors
    /// When an axis does not exist or is named twice.
    pub fn try_flip(self, axes: impl FlipArgs) -> Result<Self, TensorError> {
        let shape = self.shape();
        let axes = resolve_all(&axes.axes(), "flip", &shape)?;
        check(&Operation::Layout(Layout::Flip { x: self.spec(), axes: axes.clone() }))?;
        Ok(Self::from_handle(B::flip(self.into_handle(), axes)))
    }

    /// Repeats the tensor `times` times along `dim`. PyTorch: `x.repeat`.
    pub fn try_repeat_dim(self, dim: impl AsDim, times: usize) -> Result<Self, TensorError> {
        let dim = dim.resolve("repeat_dim", &self.spec().shape)?;
        check(&Operation::Layout(Layout::RepeatDim { x: self.spec(), dim, times }))?;
        Ok(Self::from_handle(B::repeat_dim(self.into_handle(), dim, times)))
    }

    /// Repeats the tensor `sizes[d]` times along each dimension `d`. PyTorch: `x.repeat`.
    ///
    /// # Errors
    /// When there is not one count for each dimension.
    pub fn try_repeat(self, sizes: impl AsRef<[usize]>) -> Result<Self, TensorError> {
        self.repeated(sizes.as_ref())
    }

    #[track_caller]
    fn repeated(self, sizes: &[usize]) -> Result<Self, TensorError> {
        let found = sizes.len();
        ensure!(
            found == D,
            "repeat",
            "{found} counts {sizes:?} for the {D} dimensions of {:?}",
            self.shape()
        );
        let mut x = self;
        for (dim, &times) in sizes.iter().enumerate() {
            x = if times == 1 { x } else { x.try_repeat_dim(dim, times)? };
        }
        Ok(x)
    }
}
