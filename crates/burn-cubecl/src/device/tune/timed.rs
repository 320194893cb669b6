use crate::device::engine::Engine;
use burn_backend::block_on;
use std::time::{Duration, Instant};

/// Measures the time of `calls` calls on the device, from the first launch until this thread's work is done.
///
/// # Errors
/// When one of them failed.
pub fn timed(engine: &dyn Engine, calls: u32, call: impl Fn()) -> Result<Duration, String> {
    let begin = Instant::now();
    (0..calls).for_each(|_| call());
    match block_on(engine.sync()) {
        Ok(Ok(())) => Ok(begin.elapsed()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(pending) => Err(format!("{pending:?}")),
    }
}
