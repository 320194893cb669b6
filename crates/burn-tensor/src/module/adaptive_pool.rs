//! Adaptive pooling: window `i` of `n` over a size `s` is `floor(i s / n)..ceil((i + 1) s / n)`.

use crate::check::ensure;
use crate::create::{fits, made};
use crate::{Int, Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, Shape, TensorData};
use burn_derive::fallible;

macro_rules! adaptive_pools {
    ($($avg:ident, $max:ident, $with_indices:ident, $operation:literal, $rank:literal, $n:literal, $size:ty, $dims:literal,
        $torch_avg:literal, $torch_max:literal;)*) => {$(
        #[doc = concat!("Mean of each of `size` windows that cover ", $dims, ".")]
        #[doc = concat!("PyTorch: `torch.nn.functional.", $torch_avg, "`.")]
        ///
        /// # Errors
        /// When a pooled dimension has no element.
        #[fallible]
        pub fn $avg<B: Backend>(x: Tensor<B, $rank>, size: $size) -> Result<Tensor<B, $rank>, TensorError> {
            x.try_adaptive_avg_pool::<$n>(size.into_sizes())
        }

        #[doc = concat!("Maximum of each of `size` windows that cover ", $dims, ".")]
        #[doc = concat!("PyTorch: `torch.nn.functional.", $torch_max, "`.")]
        ///
        /// # Errors
        /// When a pooled dimension has no element.
        #[fallible]
        pub fn $max<B: Backend>(x: Tensor<B, $rank>, size: $size) -> Result<Tensor<B, $rank>, TensorError> {
            adaptive_max::<B, $rank, $n>($operation, x, size.into_sizes())
        }

        #[doc = concat!("Maximum of each of `size` windows that cover ", $dims, ", and its index in these dimensions, flattened.")]
        #[doc = concat!("PyTorch: `torch.nn.functional.", $torch_max, "(return_indices=True)`.")]
        ///
        /// # Errors
        /// When a pooled dimension has no element.
        #[fallible]
        pub fn $with_indices<B: Backend>(
            x: Tensor<B, $rank>,
            size: $size,
        ) -> Result<(Tensor<B, $rank>, Tensor<B, $rank, Int>), TensorError> {
            adaptive_max_with_indices::<B, $rank, $n>($operation, x, size.into_sizes())
        }
    )*};
}

adaptive_pools! {
    try_adaptive_avg_pool1d, try_adaptive_max_pool1d, try_adaptive_max_pool1d_with_indices, "adaptive_max_pool1d",
        3, 1, usize, "the length", "adaptive_avg_pool1d", "adaptive_max_pool1d";
    try_adaptive_avg_pool2d, try_adaptive_max_pool2d, try_adaptive_max_pool2d_with_indices, "adaptive_max_pool2d",
        4, 2, [usize; 2], "height and width", "adaptive_avg_pool2d", "adaptive_max_pool2d";
    try_adaptive_avg_pool3d, try_adaptive_max_pool3d, try_adaptive_max_pool3d_with_indices, "adaptive_max_pool3d",
        5, 3, [usize; 3], "depth, height and width", "adaptive_avg_pool3d", "adaptive_max_pool3d";
}

/// A size of one dimension as a number, of several as a list.
trait IntoSizes<const N: usize> {
    fn into_sizes(self) -> [usize; N];
}

impl IntoSizes<1> for usize {
    fn into_sizes(self) -> [usize; 1] {
        [self]
    }
}

impl<const N: usize> IntoSizes<N> for [usize; N] {
    fn into_sizes(self) -> [usize; N] {
        self
    }
}

/// Returns the input indices of each window, window after window; those shorter than the longest repeat their
/// last index.
fn window_indices(input: usize, output: usize) -> Result<(Vec<i64>, usize), TensorError> {
    // The table may be larger than memory; that is an error before it is computed.
    made::<i64>([output], core::iter::empty())?;
    let bounds = |i: usize| {
        let at = |i: usize| i as u128 * input as u128;
        ((at(i) / output as u128) as usize, at(i + 1).div_ceil(output as u128) as usize)
    };
    let longest = (0..output).map(|i| bounds(i).1 - bounds(i).0).max().unwrap_or(1);
    let window = |i| {
        let (start, end) = bounds(i);
        (start..start + longest).map(move |at| at.min(end - 1) as i64)
    };
    Ok((made([output, longest], (0..output).flat_map(window))?, longest))
}

/// Maxima along one dimension.
struct Maxima<B: Backend, const D: usize> {
    values: Tensor<B, D>,
    /// Position of each maximum in its window.
    positions: Tensor<B, D, Int>,
    /// The input indices of all windows, `[output longest]`.
    sources: Tensor<B, 1, Int>,
    longest: usize,
}

#[track_caller]
fn along<B: Backend, const D: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    dim: usize,
    size: usize,
) -> Result<Maxima<B, D>, TensorError> {
    let shape = x.shape();
    ensure!(shape[dim] > 0, operation, "dimension {dim} of {shape:?} is empty");
    let target = shape.with(dim, size);
    fits(operation, &target, D, x.dtype())?;
    let (sources, longest) = window_indices(shape[dim], size)?;
    let sources = Tensor::<B, 1, Int>::from_data(TensorData::new(sources, [size * longest]), &x.device());
    let (before, after): (usize, usize) = (shape[..dim].iter().product(), shape[dim + 1..].iter().product());
    let windows = x.select(dim, sources.clone()).try_reshape([before * size, longest, after])?;
    let (values, positions) = windows.try_max_dim_with_indices(1)?;
    Ok(Maxima {
        values: values.reshaped(target.clone())?,
        positions: positions.reshaped(target)?,
        sources,
        longest,
    })
}

/// Computes the maximum one dimension at a time: the maximum of a window is the maximum of the maxima of its
/// rows. The last dimension is first, so that of equal elements the first in row-major order is taken, as in
/// PyTorch.
#[track_caller]
fn adaptive_max<B: Backend, const D: usize, const N: usize>(
    operation: &'static str,
    mut x: Tensor<B, D>,
    size: [usize; N],
) -> Result<Tensor<B, D>, TensorError> {
    for d in (0..N).rev() {
        x = along(operation, x, D - N + d, size[d])?.values;
    }
    Ok(x)
}

#[track_caller]
fn adaptive_max_with_indices<B: Backend, const D: usize, const N: usize>(
    operation: &'static str,
    mut x: Tensor<B, D>,
    size: [usize; N],
) -> Result<(Tensor<B, D>, Tensor<B, D, Int>), TensorError> {
    let (mut flat, mut stride): (Option<Tensor<B, D, Int>>, usize) = (None, 1);
    for d in (0..N).rev() {
        let (dim, input) = (D - N + d, x.dims()[D - N + d]);
        let Maxima { values, positions, sources, longest } = along(operation, x, dim, size[d])?;
        let index = input_indices(positions, sources, dim, longest)?;
        let scaled = index.clone().try_mul_scalar(stride)?;
        flat = Some(match flat {
            Some(inner) => inner.gather(dim, index).try_add(scaled)?,
            None => scaled,
        });
        (x, stride) = (values, stride * input);
    }
    let indices = flat.unwrap_or_else(|| Tensor::zeros(x.shape(), &x.device()));
    Ok((x, indices))
}

/// Returns the input indices along `dim` of positions in windows.
#[track_caller]
fn input_indices<B: Backend, const D: usize>(
    positions: Tensor<B, D, Int>,
    sources: Tensor<B, 1, Int>,
    dim: usize,
    longest: usize,
) -> Result<Tensor<B, D, Int>, TensorError> {
    let (shape, device) = (positions.shape(), positions.device());
    let starts: Vec<i64> = (0..shape[dim]).map(|i| (i * longest) as i64).collect();
    let starts_shape = Shape::from([1; D]).with(dim, shape[dim]);
    let starts = Tensor::<B, D, Int>::try_from_data(TensorData::new(starts, starts_shape), &device)?;
    let count = shape.num_elements();
    let rows: Tensor<B, 1, Int> = positions.try_add(starts)?.try_reshape([count])?;
    sources.select(0, rows).reshaped(shape)
}
