//! Panics of runtimes, as errors: they unwrap what a device that fails does not give.

use cubecl::backtrace::BackTrace;
use cubecl::server::ServerError;
use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

fn error(panic: Box<dyn Any + Send>) -> ServerError {
    ServerError::Generic { reason: message(panic), backtrace: BackTrace::capture() }
}

/// Returns the message of a panic.
pub fn message(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().map_or("a panic without a message", |text| text).into(),
    }
}

/// Runs `task`.
///
/// # Errors
/// When it panics: what it says.
pub fn catch_panic<T>(task: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(task)).map_err(message)
}

/// Catches errors and panics of a future, as [`caught`].
pub async fn caught_async<T>(
    task: impl Future<Output = Result<T, ServerError>> + Send,
) -> Result<T, ServerError> {
    let mut task = Box::pin(task);
    poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(context)));
        polled.unwrap_or_else(|panic| Poll::Ready(Err(error(panic))))
    })
    .await
}
