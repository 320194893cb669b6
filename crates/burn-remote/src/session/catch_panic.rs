use crate::wire::Failure;
use burn_backend::kernel_error;
use burn_backend::memory_budget::{self, OverBudget};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `run`, and returns the error that it raised or panicked with as a value: a failing call loses its own
/// results, not the server.
pub fn catch_panic<T>(call: &str, run: impl FnOnce() -> T) -> Result<T, Failure> {
    let denied = || memory_budget::current().and_then(|scope| scope.denied());
    // A denial from before this call, which an earlier call has recovered from.
    let _before = denied();
    let (mut run, mut result) = (Some(run), None);
    let mut once = || result = run.take().map(|run| run());
    let message = match catch_unwind(AssertUnwindSafe(|| kernel_error::catch(&mut once))) {
        Ok(Ok(())) => return Ok(result.expect("it ran")),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            text.unwrap_or("a panic without a message").into()
        }
    };
    Err(match denied() {
        Some(OverBudget { wanted, left }) => Failure::Memory { wanted, left },
        None => Failure::Panicked { call: call.into(), message },
    })
}
