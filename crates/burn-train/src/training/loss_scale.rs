//! The factor by which a step multiplies its loss before the backward pass. It is of the thread, because the
//! step is the user's and takes nothing but a batch.

use std::cell::Cell;

thread_local! {
    static SCALE: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Asks the next backward pass of this thread to scale its loss.
pub(super) fn request(scale: Option<f64>) {
    SCALE.set(scale);
}

/// Takes the request, if it is still there.
pub(super) fn take() -> Option<f64> {
    SCALE.take()
}
