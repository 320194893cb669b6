//! Assertions on tensors: exact values, approximate values, panics.

use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData, TensorKind, Tolerance};
use std::cell::RefCell;
use std::panic::Location;
use std::sync::Once;

/// Asserts that shape and values equal `expected`, which may be of another element type.
#[track_caller]
pub fn exactly<B: Backend, const D: usize, K: TensorKind>(
    tensor: Tensor<B, D, K>,
    expected: impl Into<TensorData>,
) {
    tensor.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::strict());
}

/// Asserts that the shape equals `expected`, and that values differ by a few roundings of an `f32`.
#[track_caller]
pub fn nearly<B: Backend, const D: usize, K: TensorKind>(
    tensor: Tensor<B, D, K>,
    expected: impl Into<TensorData>,
) {
    tensor.into_data().assert_approx_eq::<f64>(&expected.into(), Tolerance::rel_abs(2e-6, 2e-6));
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `misuse`, which has to panic at a line of the caller's file, and returns the message.
#[track_caller]
pub fn panics<T>(misuse: impl FnOnce() -> T) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let file = info.location().map_or("nowhere", Location::file);
            LAST_PANIC.set(file.to_owned());
            previous(info);
        }));
    });
    let Err(payload) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(misuse)) else {
        panic!("this call has no meaning, and was accepted");
    };
    let message = match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().expect("a message").to_string(),
    };
    let file = LAST_PANIC.take();
    assert_eq!(file, Location::caller().file(), "the panic is at the line of the program: {message}");
    message
}
