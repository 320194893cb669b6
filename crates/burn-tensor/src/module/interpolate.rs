use crate::check::{check, ensure};
use crate::create::fits;
use crate::{Tensor, TensorError};
use alloc::boxed::Box;
use alloc::vec::Vec;
pub use burn_backend::InterpolateMode;
use burn_backend::{Backend, Dims, Interpolation, Operation, Resize};
use burn_derive::fallible;

/// Options of [`interpolate1d`], [`interpolate2d`] and [`interpolate3d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterpolateOptions {
    /// Interpolation mode.
    pub mode: InterpolateMode,
    /// Whether the centres of the corner elements of input and output coincide; otherwise their outer edges
    /// do. Without effect on the nearest modes.
    pub align_corners: bool,
}

impl InterpolateOptions {
    /// Returns the options of `mode`, with `align_corners` off.
    pub fn new(mode: InterpolateMode) -> Self {
        InterpolateOptions { mode, align_corners: false }
    }

    /// Returns these options with another `align_corners`.
    #[must_use]
    pub fn with_align_corners(self, align_corners: bool) -> Self {
        InterpolateOptions { align_corners, ..self }
    }
}

/// Output size of an interpolation: sizes, or scale factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InterpolateTo<const N: usize> {
    /// Output sizes. PyTorch: `size`.
    Size([usize; N]),
    /// Scale factors; the output sizes are `floor(size factor)`. Sampling positions use the factors
    /// themselves and not the quotient of the sizes. PyTorch: `scale_factor`.
    Scale([f64; N]),
}

impl<const N: usize> From<[usize; N]> for InterpolateTo<N> {
    fn from(size: [usize; N]) -> Self {
        InterpolateTo::Size(size)
    }
}

impl<const N: usize> From<[f64; N]> for InterpolateTo<N> {
    fn from(scale: [f64; N]) -> Self {
        InterpolateTo::Scale(scale)
    }
}

/// Resizes `[batch, channels, length]` to another length. PyTorch: `torch.nn.functional.interpolate`.
///
/// # Errors
/// When a spatial dimension of the input or of the output has no element, or a scale factor is not positive
/// and finite.
#[fallible]
pub fn try_interpolate1d<B: Backend>(
    x: Tensor<B, 3>,
    to: impl Into<InterpolateTo<1>>,
    options: InterpolateOptions,
) -> Result<Tensor<B, 3>, TensorError> {
    interpolate("interpolate1d", x, to.into(), options)
}

/// Resizes `[batch, channels, height, width]` to another height and width.
/// PyTorch: `torch.nn.functional.interpolate`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, module::*};
/// fn twice_as_large<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
///     interpolate2d(images, [2.0, 2.0], InterpolateOptions::new(InterpolateMode::Linear))
/// }
/// ```
///
/// # Errors
/// When a spatial dimension of the input or of the output has no element, or a scale factor is not positive
/// and finite.
#[fallible]
pub fn try_interpolate2d<B: Backend>(
    x: Tensor<B, 4>,
    to: impl Into<InterpolateTo<2>>,
    options: InterpolateOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    interpolate("interpolate2d", x, to.into(), options)
}

/// Resizes `[batch, channels, depth, height, width]` to another depth, height and width.
/// PyTorch: `torch.nn.functional.interpolate`. `InterpolateMode::Linear` is `mode='trilinear'` there.
///
/// # Errors
/// When a spatial dimension of the input or of the output has no element, or a scale factor is not positive
/// and finite.
#[fallible]
pub fn try_interpolate3d<B: Backend>(
    x: Tensor<B, 5>,
    to: impl Into<InterpolateTo<3>>,
    options: InterpolateOptions,
) -> Result<Tensor<B, 5>, TensorError> {
    const NAME: &str = "interpolate3d";
    let (shape, to) = (x.shape(), to.into());
    // Every mode is separable: first height and width, then depth.
    let (plane, line): (InterpolateTo<2>, InterpolateTo<1>) = match to {
        InterpolateTo::Size([depth, height, width]) => ([height, width].into(), [depth].into()),
        InterpolateTo::Scale([depth, height, width]) => ([height, width].into(), [depth].into()),
    };
    let [batch, channels, depth, height, width] = x.dims();
    ensure!(![depth, height, width].contains(&0), NAME, "{shape:?} to {to:?} leaves nothing");
    let planes = x.try_reshape([batch, channels * depth, height, width])?;
    let planes = interpolate::<B, 4, 2>(NAME, planes, plane, options)?;
    let [_, _, height, width] = planes.dims();
    let lines = planes.try_reshape([batch, channels, depth, height * width])?.try_swap_dims(2, 3)?;
    let lines = lines.try_reshape([batch, channels * height * width, depth])?;
    let lines = interpolate::<B, 3, 1>(NAME, lines, line, options)?;
    let [_, _, depth] = lines.dims();
    let volumes = lines.try_reshape([batch, channels, height * width, depth])?.try_swap_dims(2, 3)?;
    volumes.try_reshape([batch, channels, depth, height, width])
}

#[track_caller]
fn interpolate<B: Backend, const D: usize, const N: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    to: InterpolateTo<N>,
    options: InterpolateOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let (first, mut shape) = (D - N, x.shape());
    let factors = match to {
        InterpolateTo::Size(_) => Vec::new(),
        InterpolateTo::Scale(scale) => scale.to_vec(),
    };
    for d in 0..N {
        let input = shape[first + d];
        let output = match to {
            InterpolateTo::Size(size) => size[d],
            InterpolateTo::Scale(scale) => (input as f64 * scale[d]) as usize,
        };
        ensure!(input > 0 && output > 0, operation, "{:?} to {to:?} leaves nothing", x.shape());
        shape[first + d] = output;
        fits(operation, &shape, D, x.dtype())?;
    }
    let size = Dims::from(&shape[first..]);
    let options = Interpolation { mode: options.mode, align_corners: options.align_corners, factors };
    check(&Operation::Resize(Resize::Interpolate {
        x: x.spec(),
        size: size.clone(),
        options: Box::new(options.clone()),
    }))?;
    Ok(Tensor::from_handle(B::interpolate(x.into_handle(), size, options)))
}
