use std::sync::{Arc, Mutex, PoisonError};

/// Asks a run to stop, from anywhere. Clones ask the same run.
///
/// The run finishes the step at which it is, saves a checkpoint of it if it has a checkpointer, and
/// returns the model as it is then.
///
/// ```
/// use burn::train::renderer::Interrupter;
///
/// let interrupter = Interrupter::new();
/// let elsewhere = interrupter.clone();
/// elsewhere.stop("the user pressed q");
/// assert!(interrupter.should_stop());
/// assert_eq!(interrupter.reason().as_deref(), Some("the user pressed q"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupter {
    reason: Arc<Mutex<Option<String>>>,
}

impl Interrupter {
    /// Asks for nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to stop; the first reason stays.
    pub fn stop(&self, reason: impl Into<String>) {
        self.lock().get_or_insert_with(|| reason.into());
    }

    /// Returns whether the run was asked to stop.
    pub fn should_stop(&self) -> bool {
        self.lock().is_some()
    }

    /// Returns why the run was asked to stop.
    pub fn reason(&self) -> Option<String> {
        self.lock().clone()
    }

    /// Takes the request back.
    pub fn reset(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
