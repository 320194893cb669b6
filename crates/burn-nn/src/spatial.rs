//! Sizes of layers over several spatial dimensions.

use burn_core::config::{ConfigError, FieldCheck};
use burn_core::tensor::TensorError;

/// A size per spatial dimension as configs have it: a number of layers over one dimension, a list of others.
pub trait Sizes: Copy {
    /// Returns the same size in every dimension.
    fn repeat(size: usize) -> Self;

    /// Returns the sizes of `N` dimensions.
    fn array<const N: usize>(self) -> [usize; N];

    /// Refuses a size below `least`.
    fn check(self, check: FieldCheck, field: &str, least: usize) -> Result<(), ConfigError>;
}

impl Sizes for usize {
    fn repeat(size: usize) -> Self {
        size
    }
    fn array<const N: usize>(self) -> [usize; N] {
        [self; N]
    }
    fn check(self, check: FieldCheck, field: &str, least: usize) -> Result<(), ConfigError> {
        check.at_least(field, self, least)
    }
}

impl<const M: usize> Sizes for [usize; M] {
    fn repeat(size: usize) -> Self {
        [size; M]
    }
    fn array<const N: usize>(self) -> [usize; N] {
        core::array::from_fn(|d| self[d])
    }
    fn check(self, check: FieldCheck, field: &str, least: usize) -> Result<(), ConfigError> {
        check.all_at_least(field, &self, least)
    }
}

/// Refuses a kernel size, a stride or a dilation of 0.
pub fn check_windows<S: Sizes>(
    check: FieldCheck,
    kernel_size: S,
    stride: S,
    dilation: S,
) -> Result<(), ConfigError> {
    kernel_size.check(check, "kernel_size", 1)?;
    stride.check(check, "stride", 1)?;
    dilation.check(check, "dilation", 1)
}

/// Returns the last `N` sizes of a shape `[batch, channels, ..]`.
pub fn spatial<const N: usize>(dims: &[usize]) -> [usize; N] {
    core::array::from_fn(|d| dims[dims.len() - N + d])
}

/// Fails unless there are `channels` channels, which are dimension 1.
#[track_caller]
pub fn expect_channels(layer: &'static str, dims: &[usize], channels: usize) -> Result<(), TensorError> {
    if dims.get(1) == Some(&channels) {
        return Ok(());
    }
    let message = format_args!(
        "wrong number of channels (dimension 1) of the input; expected [batch, {channels}, ..], got {dims:?}"
    );
    Err(TensorError::argument(layer, message))
}

/// Returns the value, or panics with the error at the caller's line.
#[track_caller]
pub fn value_or_raise<T>(result: Result<T, TensorError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => error.raise(),
    }
}
