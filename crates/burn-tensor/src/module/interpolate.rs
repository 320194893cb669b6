use crate::check::ensure;
use crate::create::fits;
use crate::{Int, Tensor, TensorError};
use alloc::vec::Vec;
use burn_backend::{Backend, Shape, TensorData};
use burn_derive::fallible;

/// How a value between elements is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterpolateMode {
    /// The element at `floor(i input / output)`. PyTorch: `mode='nearest'`, whose scale is rounded to 32 bits.
    Nearest,
    /// The element whose centre is nearest: at `floor((i + 1/2) input / output)`. PyTorch: `mode='nearest-exact'`.
    NearestExact,
    /// A line between two neighbours. PyTorch: `mode='linear'` and `mode='bilinear'`.
    Linear,
    /// A cubic through four neighbours, with `a = -3/4` (Keys, 1981). PyTorch: `mode='bicubic'`.
    Cubic,
    /// `sinc(t) sinc(t / 3)` of six neighbours, divided by their sum (Duchon, 1979); edges are repeated.
    Lanczos,
}

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
/// # use burn_tensor::{Tensor, backend::Backend, module::*};
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

/// One dimension after the other: all modes are products of functions of one coordinate.
#[track_caller]
fn interpolate<B: Backend, const D: usize, const N: usize>(
    operation: &'static str,
    x: Tensor<B, D>,
    to: InterpolateTo<N>,
    options: InterpolateOptions,
) -> Result<Tensor<B, D>, TensorError> {
    let (first, mut shape) = (D - N, x.shape());
    let mut axes = Vec::new();
    for d in 0..N {
        let input = shape[first + d];
        let (output, factor) = match to {
            InterpolateTo::Size(size) => (size[d], None),
            InterpolateTo::Scale(scale) => ((input as f64 * scale[d]) as usize, Some(scale[d])),
        };
        ensure!(input > 0 && output > 0, operation, "{:?} to {to:?} leaves nothing", x.shape());
        shape[first + d] = output;
        fits(operation, &shape, D, x.dtype())?;
        axes.push(Axis { input, output, factor, align_corners: options.align_corners });
    }
    let mut x = x;
    for (d, axis) in axes.into_iter().enumerate() {
        x = resampled(x, first + d, axis.taps(options.mode))?;
    }
    Ok(x)
}

/// For each element of the result one source, and its weight; without weights they are 1.
struct Tap {
    sources: Vec<i64>,
    weights: Option<Vec<f64>>,
}

#[track_caller]
fn resampled<B: Backend, const D: usize>(
    x: Tensor<B, D>,
    dim: usize,
    taps: Vec<Tap>,
) -> Result<Tensor<B, D>, TensorError> {
    let (dtype, device) = (x.dtype(), x.device());
    let mut sum: Option<Tensor<B, D>> = None;
    for Tap { sources, weights } in taps {
        let count = sources.len();
        let sources = Tensor::<B, 1, Int>::from_data(TensorData::new(sources, [count]), &device);
        let mut part = x.clone().select(dim, sources);
        if let Some(weights) = weights {
            let data = TensorData::new(weights, Shape::from([1; D]).with(dim, count));
            part = part.try_mul(Tensor::from_handle(B::from_data(data.convert_dtype(dtype), &device)))?;
        }
        sum = Some(match sum {
            Some(sum) => sum.try_add(part)?,
            None => part,
        });
    }
    Ok(sum.unwrap_or(x))
}

/// One dimension of the input and the result.
struct Axis {
    input: usize,
    output: usize,
    factor: Option<f64>,
    align_corners: bool,
}

impl Axis {
    fn taps(&self, mode: InterpolateMode) -> Vec<Tap> {
        match mode {
            InterpolateMode::Nearest => self.nearest(0.0),
            InterpolateMode::NearestExact => self.nearest(0.5),
            InterpolateMode::Linear => self.weighted(0..2, true, |t| [1.0 - t, t]),
            InterpolateMode::Cubic => self.weighted(-1..3, false, cubic),
            InterpolateMode::Lanczos => self.weighted(-2..4, false, lanczos),
        }
    }

    /// Of the quotient of whole numbers, which is exact, where no factor is given.
    fn nearest(&self, shift: f64) -> Vec<Tap> {
        let doubled = if shift == 0.0 { 0 } else { 1 };
        let source = |i: usize| match self.factor {
            Some(factor) => ((i as f64 + shift) / factor) as usize,
            None => ((2 * i as u128 + doubled) * self.input as u128 / (2 * self.output as u128)) as usize,
        };
        let sources = (0..self.output).map(|i| source(i).min(self.input - 1) as i64).collect();
        [Tap { sources, weights: None }].into()
    }

    /// Where the centre of element `i` of the result is in the input.
    fn centre(&self, i: usize) -> f64 {
        let (input, output) = (self.input as f64, self.output as f64);
        if self.align_corners {
            return if self.output > 1 { i as f64 * (input - 1.0) / (output - 1.0) } else { 0.0 };
        }
        (i as f64 + 0.5) * self.factor.map_or(input / output, |factor| 1.0 / factor) - 0.5
    }

    /// The neighbours `offsets` of the element at the left, weighted by the distance from it; edges are repeated.
    fn weighted<const T: usize>(
        &self,
        offsets: core::ops::Range<i64>,
        inside: bool,
        weights: impl Fn(f64) -> [f64; T],
    ) -> Vec<Tap> {
        let last = self.input as i64 - 1;
        let place = |i: usize| {
            let centre = self.centre(i);
            let centre = if inside { centre.clamp(0.0, last as f64) } else { centre };
            let left = floor(centre);
            (left, weights(centre - left as f64))
        };
        let places: Vec<(i64, [f64; T])> = (0..self.output).map(place).collect();
        let tap = |(tap, offset): (usize, i64)| Tap {
            sources: places.iter().map(|(left, _)| left.saturating_add(offset).clamp(0, last)).collect(),
            weights: Some(places.iter().map(|(_, weights)| weights[tap]).collect()),
        };
        offsets.enumerate().map(tap).collect()
    }
}

/// The standard library's is not in `core`.
fn floor(x: f64) -> i64 {
    let toward_zero = x as i64;
    toward_zero - i64::from(toward_zero as f64 > x)
}

fn cubic(t: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]
}

fn lanczos(t: f64) -> [f64; 6] {
    const LOBES: f64 = 3.0;
    let sinc = |x: f64| {
        let angle = core::f64::consts::PI * x;
        if x == 0.0 { 1.0 } else { libm::sin(angle) / angle }
    };
    let distances = [t + 2.0, t + 1.0, t, 1.0 - t, 2.0 - t, 3.0 - t];
    let weights = distances.map(|x| if x < LOBES { sinc(x) * sinc(x / LOBES) } else { 0.0 });
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}
