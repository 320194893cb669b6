use crate::wire::Failure;
use burn_backend::memory::{self, OverBudget};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `run` returns, or what it panicked with: a call that panics costs its own results, not the server.
pub fn caught<T>(call: &str, run: impl FnOnce() -> T) -> Result<T, Failure> {
    let denied = || memory::current().and_then(|scope| scope.denied());
    // One that a call before has lived with.
    let _before = denied();
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        if let Some(OverBudget { wanted, left }) = denied() {
            return Failure::Memory { wanted, left };
        }
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text =
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message");
        Failure::Panicked { call: call.into(), message: text.into() }
    })
}
