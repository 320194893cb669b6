use crate::wire::Failure;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `run` returns, or what it panicked with: a call that panics costs its own results, not the server.
pub fn caught<T>(call: &str, run: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text =
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
        Failure::Panicked { call: call.into(), message: text.into() }
    })
}
