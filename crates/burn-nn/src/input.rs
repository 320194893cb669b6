//! Checks of the input of a layer, so that an error names the layer and not an operation inside of it.

use burn_core::tensor::TensorError;
use core::fmt::Arguments;

/// Panics unless the last dimension has `size` elements. One of a single element would be broadcast.
#[track_caller]
pub fn check_last_dim(layer: &'static str, dims: &[usize], size: usize) {
    if dims.last() != Some(&size) {
        fail(layer, format_args!("wrong last dimension of the input; expected [.., {size}], got {dims:?}"));
    }
}

/// Panics unless there are `channels` channels, which are dimension 1.
#[track_caller]
pub fn check_channels(layer: &'static str, dims: &[usize], channels: usize) {
    if dims.get(1) != Some(&channels) {
        fail(
            layer,
            format_args!(
                "wrong number of channels (dimension 1) of the input; expected [batch, {channels}, ..], \
             got {dims:?}"
            ),
        );
    }
}

/// Panics unless the shapes of the input of a loss and of its targets are equal.
#[track_caller]
pub fn check_same_shape(loss: &'static str, input: &[usize], targets: &[usize]) {
    if input != targets {
        fail(
            loss,
            format_args!(
                "input and targets have different shapes; expected targets {input:?}, got {targets:?}"
            ),
        );
    }
}

/// Panics unless the shapes of a prediction and of its target are equal up to dimensions of size 1.
#[track_caller]
pub fn check_broadcast(loss: &'static str, prediction: &[usize], target: &[usize]) {
    let fits = prediction.iter().zip(target).all(|(&one, &other)| one == other || one == 1 || other == 1);
    if !fits {
        fail(
            loss,
            format_args!(
                "prediction and target have different shapes; expected a target {prediction:?}, got {target:?}"
            ),
        );
    }
}

/// Panics with `message`, as an error that `try_forward` catches, unless the condition holds.
#[track_caller]
pub fn require(holds: bool, layer: &'static str, message: Arguments<'_>) {
    if !holds {
        fail(layer, message);
    }
}

#[cold]
#[track_caller]
fn fail(layer: &'static str, message: Arguments<'_>) -> ! {
    TensorError::argument(layer, message).raise()
}
