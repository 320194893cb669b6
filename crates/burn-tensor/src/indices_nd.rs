//! Indices that name several dimensions at once.

use crate::check::ensure;
use crate::{Int, Tensor, TensorError, TensorKind};
use burn_backend::{Backend, IndexUpdate, Shape, TensorData};
use burn_derive::fallible;

/// Flat indices for coordinates of shape `[.., k]`: the first `k` dimensions of the tensor are viewed as one.
struct Places<B: Backend> {
    /// `[k dimensions as one, the others]`.
    flat: Shape,
    /// Indices into the first dimension of `flat`.
    indices: Tensor<B, 1, Int>,
    /// Shape of the values read or written: the outer dimensions of the coordinates, then the unindexed
    /// dimensions.
    result: Shape,
}

#[track_caller]
fn places<B: Backend, const D: usize, const M: usize, K: TensorKind>(
    operation: &'static str,
    x: &Tensor<B, D, K>,
    indices: Tensor<B, M, Int>,
) -> Result<Places<B>, TensorError> {
    let (shape, by) = (x.shape(), indices.shape());
    ensure!(M > 0, operation, "indices need a last dimension, of coordinates");
    let named = by[M - 1];
    ensure!(named <= D, operation, "{named} coordinates in indices of {by:?} for {shape:?} (rank {D})");
    let (outer, rest) = shape.split_at(named);
    let values: alloc::vec::Vec<i64> = indices.try_to_data()?.iter::<i64>().collect();
    let mut flat = alloc::vec::Vec::with_capacity(by[..M - 1].iter().product());
    for place in 0..by[..M - 1].iter().product() {
        let mut at = 0;
        for (dim, &size) in outer.iter().enumerate() {
            let index = values[place * named + dim];
            let inside = usize::try_from(index).ok().filter(|&index| index < size);
            let Some(inside) = inside else {
                let message = format_args!(
                    "index {index} is out of range for dimension {dim} of {shape:?}, which has size {size}"
                );
                return Err(TensorError::argument(operation, message));
            };
            at = at * size + inside;
        }
        flat.push(at as i64);
    }
    let count = flat.len();
    Ok(Places {
        flat: core::iter::once(outer.iter().product()).chain(rest.iter().copied()).collect(),
        indices: Tensor::try_from_data(TensorData::new(flat, [count]), &x.device())?,
        result: by[..M - 1].iter().chain(rest).copied().collect(),
    })
}

/// Returns the shape as lines of whole slices: `[places, elements of one]`.
fn lines(shape: &Shape) -> Shape {
    Shape::from([shape[0], shape[1..].iter().product()])
}

#[fallible]
/// # Indexing with tensors: `gather_nd`, `scatter_nd`
impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {
    /// Gathers the elements or slices at `indices` of shape `[.., k]`, whose last dimension has the
    /// coordinates of the first `k` dimensions; `DV` is `M - 1 + D - k`; reads the indices from the device.
    /// PyTorch: indexing, `x[i, j]`.
    ///
    /// ```text
    /// result[.., ..] = x[indices[.., 0], .., indices[.., k - 1], ..]
    /// ```
    ///
    /// # Errors
    /// When an index is beyond its dimension, there are more coordinates than dimensions, or `DV` is another
    /// rank.
    pub fn try_gather_nd<const M: usize, const DV: usize>(
        self,
        indices: Tensor<B, M, Int>,
    ) -> Result<Tensor<B, DV, K>, TensorError> {
        let Places { flat, indices, result } = places("gather_nd", &self, indices)?;
        let rank = result.rank();
        ensure!(rank == DV, "gather_nd", "the result has shape {result:?} of rank {rank}, not {DV}");
        let slices: Tensor<B, 2, K> = self.reshaped(lines(&flat))?;
        slices.select(0, indices).reshaped(result)
    }

    /// Scatters `values` to `indices`, see [`Tensor::gather_nd`]; duplicate indices all count, or for
    /// [`IndexUpdate::Assign`] the last; reads the indices from the device. PyTorch: `x.index_put`.
    ///
    /// # Errors
    /// When an index is beyond its dimension, there are more coordinates than dimensions, or `values` have
    /// another shape.
    pub fn try_scatter_nd<const M: usize, const DV: usize>(
        self,
        indices: Tensor<B, M, Int>,
        values: Tensor<B, DV, K>,
        update: IndexUpdate,
    ) -> Result<Self, TensorError> {
        let (shape, given) = (self.shape(), values.shape());
        let Places { flat, indices, result } = places("scatter_nd", &self, indices)?;
        ensure!(given == result, "scatter_nd", "values of shape {given:?}, the indices name {result:?}");
        let [count, size] = [indices.dims()[0], lines(&flat)[1]];
        let values = values.reshaped::<2>(Shape::from([count, size]))?;
        let slices: Tensor<B, 2, K> = self.reshaped(lines(&flat))?;
        slices.select_assign_unread("scatter_nd", 0, indices, values, update)?.reshaped(shape)
    }
}

macro_rules! updates_nd {
    ($($method:ident => $update:ident, $doc:literal;)*) => {
        #[fallible]
        /// # Indexing with tensors: `gather_nd`, `scatter_nd`
        impl<B: Backend, const D: usize, K: TensorKind> Tensor<B, D, K> {$(
            #[doc = concat!("[`Tensor::scatter_nd`] that ", $doc, ". PyTorch: `x.index_put`.")]
            ///
            /// # Errors
            /// As [`Tensor::scatter_nd`].
            pub fn $method<const M: usize, const DV: usize>(
                self,
                indices: Tensor<B, M, Int>,
                values: Tensor<B, DV, K>,
            ) -> Result<Self, TensorError> {
                self.try_scatter_nd(indices, values, IndexUpdate::$update)
            }
        )*}
    };
}

updates_nd! {
    try_scatter_nd_assign => Assign, "writes the values";
    try_scatter_nd_add => Add, "adds the values";
    try_scatter_nd_multiply => Multiply, "multiplies by the values";
    try_scatter_nd_min => Min, "keeps the smaller";
    try_scatter_nd_max => Max, "keeps the larger";
}
