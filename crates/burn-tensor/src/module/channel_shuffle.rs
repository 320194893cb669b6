use crate::check::ensure;
use crate::{Tensor, TensorError, TensorKind};
use burn_backend::Backend;
use burn_derive::fallible;

/// Shuffles channels between groups (Zhang et al. 2018): the channels of `[batch, channels, ..]` are split
/// into `groups`, and the result takes one of each group in turn. PyTorch:
/// `torch.nn.functional.channel_shuffle`.
///
/// `y[b, i groups + g] = x[b, g (channels / groups) + i]`.
///
/// # Errors
/// When the rank is below 2, or `groups` is 0 or does not divide the number of channels.
#[fallible]
pub fn try_channel_shuffle<B: Backend, const D: usize, K: TensorKind>(
    x: Tensor<B, D, K>,
    groups: usize,
) -> Result<Tensor<B, D, K>, TensorError> {
    let shape = x.shape();
    ensure!(D >= 2, "channel_shuffle", "expected [batch, channels, ..], got {shape:?}");
    let (batch, channels) = (shape[0], shape[1]);
    ensure!(
        groups > 0 && channels.is_multiple_of(groups),
        "channel_shuffle",
        "wrong number of channels (dimension 1); expected a multiple of {groups} groups, got {shape:?}"
    );
    let rest = shape[2..].iter().product::<usize>();
    let x = x.try_reshape([batch, groups, channels / groups, rest])?;
    x.try_swap_dims(1, 2)?.reshaped(shape)
}
