//! Checks of the input of a layer, so that an error names the layer and not an operation inside of it.

/// Panics unless the last dimension has `size` elements. One of a single element would be broadcast.
#[track_caller]
pub fn check_last_dim(layer: &str, dims: &[usize], size: usize) {
    if dims.last() != Some(&size) {
        fail(format_args!("{layer}: wrong last dimension of the input; expected [.., {size}], got {dims:?}"));
    }
}

/// Panics unless there are `channels` channels, which are dimension 1.
#[track_caller]
pub fn check_channels(layer: &str, dims: &[usize], channels: usize) {
    if dims.get(1) != Some(&channels) {
        fail(format_args!(
            "{layer}: wrong number of channels (dimension 1) of the input; expected [batch, {channels}, ..], got {dims:?}"
        ));
    }
}

/// Panics unless the shapes of the input of a loss and of its targets are equal.
#[track_caller]
pub fn check_same_shape(loss: &str, input: &[usize], targets: &[usize]) {
    if input != targets {
        fail(format_args!(
            "{loss}: input and targets have different shapes; expected targets {input:?}, got {targets:?}"
        ));
    }
}

/// Panics unless the shapes of a prediction and of its target are equal up to dimensions of size 1.
#[track_caller]
pub fn check_broadcast(loss: &str, prediction: &[usize], target: &[usize]) {
    let fits = prediction.iter().zip(target).all(|(&one, &other)| one == other || one == 1 || other == 1);
    if !fits {
        fail(format_args!(
            "{loss}: prediction and target have different shapes; expected a target {prediction:?}, got {target:?}"
        ));
    }
}

#[cold]
#[track_caller]
fn fail(message: core::fmt::Arguments<'_>) -> ! {
    panic!("{message}")
}
