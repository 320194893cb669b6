use crate::check::ensure;
use crate::{Tensor, TensorError, TensorKind};
use burn_backend::{Backend, Shape};
use burn_derive::fallible;

/// Rearranges channels into space (Shi et al. 2016): `[.., channels factor^2, height, width]` becomes
/// `[.., channels, height factor, width factor]`. PyTorch: `torch.nn.functional.pixel_shuffle`.
///
/// `y[.., c, h factor + i, w factor + j] = x[.., c factor^2 + i factor + j, h, w]`.
///
/// # Errors
/// When the rank is below 3, the factor is 0, or its square does not divide the number of channels.
#[fallible]
pub fn try_pixel_shuffle<B: Backend, const D: usize, K: TensorKind>(
    x: Tensor<B, D, K>,
    factor: usize,
) -> Result<Tensor<B, D, K>, TensorError> {
    let shape = x.shape();
    ensure!(D >= 3, "pixel_shuffle", "expected [.., channels, height, width], got {shape:?}");
    let [found, height, width] = [shape[D - 3], shape[D - 2], shape[D - 1]];
    let square = factor.checked_mul(factor).filter(|&square| square > 0 && found.is_multiple_of(square));
    let Some(square) = square else {
        let message = format_args!(
            "wrong number of channels (dimension {}) for the factor {factor}; expected a multiple of its square, got \
             {shape:?}",
            D - 3
        );
        return Err(TensorError::argument("pixel_shuffle", message));
    };
    let (lead, channels) = (shape[..D - 3].iter().product::<usize>(), found / square);
    let target = with_image(shape, [channels, height * factor, width * factor]);
    let x = x.try_reshape([lead, channels, factor, factor, height, width])?;
    x.try_permute([0, 1, 4, 2, 5, 3])?.reshaped(target)
}

/// Rearranges space into channels, the inverse of [`pixel_shuffle`]: `[.., channels, height factor, width
/// factor]` becomes `[.., channels factor^2, height, width]`. PyTorch: `torch.nn.functional.pixel_unshuffle`.
///
/// # Errors
/// When the rank is below 3, or the factor is 0 or does not divide height and width.
#[fallible]
pub fn try_pixel_unshuffle<B: Backend, const D: usize, K: TensorKind>(
    x: Tensor<B, D, K>,
    factor: usize,
) -> Result<Tensor<B, D, K>, TensorError> {
    let shape = x.shape();
    ensure!(D >= 3, "pixel_unshuffle", "expected [.., channels, height, width], got {shape:?}");
    let [channels, height, width] = [shape[D - 3], shape[D - 2], shape[D - 1]];
    ensure!(
        factor > 0 && height.is_multiple_of(factor) && width.is_multiple_of(factor),
        "pixel_unshuffle",
        "wrong height or width; expected multiples of the factor {factor}, got {shape:?}"
    );
    let (height, width) = (height / factor, width / factor);
    let lead = shape[..D - 3].iter().product::<usize>();
    // A channel count that overflows has an image without elements.
    let channels_out = channels.saturating_mul(factor).saturating_mul(factor);
    let target = with_image(shape, [channels_out, height, width]);
    let x = x.try_reshape([lead, channels, height, factor, width, factor])?;
    x.try_permute([0, 1, 3, 5, 2, 4])?.reshaped(target)
}

/// Returns `shape` with other last three sizes.
fn with_image(shape: Shape, image: [usize; 3]) -> Shape {
    let first = shape.rank() - 3;
    (0..3).fold(shape, |shape, d| shape.with(first + d, image[d]))
}
