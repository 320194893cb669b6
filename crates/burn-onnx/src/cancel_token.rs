use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a run to stop. Clones share the request: keep one, and give another to
/// [`Graph::run_cancellable`](crate::Graph::run_cancellable).
///
/// Runs look at it between nodes and in every iteration of a loop.
///
/// ```
/// use burn_onnx::CancelToken;
///
/// let token = CancelToken::new();
/// let of_another_thread = token.clone();
/// of_another_thread.cancel();
/// assert!(token.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every run that has this token, or a clone of it, to stop. It stays cancelled.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
