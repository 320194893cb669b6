use crate::check::{check, ensure};
use crate::create::fits;
use crate::{Tensor, TensorError};
use alloc::boxed::Box;
use alloc::vec::Vec;
pub use burn_backend::InterpolateMode;
use burn_backend::{Backend, Dims, Interpolation, Operation};
use burn_derive::fallible;

/// How a tensor is made larger or smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterpolateOptions {
    /// How a value between elements is found.
    pub mode: InterpolateMode,
    /// Whether the centres of the first and the last element stay where they are; otherwise the outer edges of these
    /// elements do. Without effect on the nearest element.
    pub align_corners: bool,
}

impl InterpolateOptions {
    /// `mode`, with the edges where they are.
    pub fn new(mode: InterpolateMode) -> Self {
        InterpolateOptions { mode, align_corners: false }
    }

    /// With the centres of the corners where they are, or not.
    #[must_use]
    pub fn with_align_corners(self, align_corners: bool) -> Self {
        InterpolateOptions { align_corners, ..self }
    }
}

/// What size to interpolate to: sizes, or factors that the sizes are multiplied with and rounded down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InterpolateTo<const N: usize> {
    /// These sizes.
    Size([usize; N]),
    /// `floor(size factor)`; the factors, and not the quotient of the sizes, say where an element comes from, as
    /// PyTorch's `scale_factor` does.
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

/// `[batch, channels, length]` at another length. PyTorch: `torch.nn.functional.interpolate`.
///
/// # Errors
/// When there is nothing to interpolate, or nothing would be left.
#[fallible]
pub fn try_interpolate1d<B: Backend>(
    x: Tensor<B, 3>,
    to: impl Into<InterpolateTo<1>>,
    options: InterpolateOptions,
) -> Result<Tensor<B, 3>, TensorError> {
    interpolate("interpolate1d", x, to.into(), options)
}

/// `[batch, channels, height, width]` at another size. PyTorch: `torch.nn.functional.interpolate`.
///
/// ```
/// use burn::tensor::{Tensor, backend::Backend, module::*};
/// fn twice_as_large<B: Backend>(images: Tensor<B, 4>) -> Tensor<B, 4> {
///     interpolate2d(images, [2.0, 2.0], InterpolateOptions::new(InterpolateMode::Linear))
/// }
/// ```
///
/// # Errors
/// When there is nothing to interpolate, or nothing would be left.
#[fallible]
pub fn try_interpolate2d<B: Backend>(
    x: Tensor<B, 4>,
    to: impl Into<InterpolateTo<2>>,
    options: InterpolateOptions,
) -> Result<Tensor<B, 4>, TensorError> {
    interpolate("interpolate2d", x, to.into(), options)
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
    check(&Operation::Interpolate { x: x.spec(), size: size.clone(), options: Box::new(options.clone()) })?;
    Ok(Tensor::from_handle(B::interpolate(x.into_handle(), size, options)))
}
