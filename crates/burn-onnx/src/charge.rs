use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a value that count while a holder of it lives.
#[derive(Debug)]
pub(crate) struct Charge {
    alive: Arc<AtomicU64>,
    bytes: u64,
}

impl Charge {
    pub(crate) fn new(alive: Arc<AtomicU64>, bytes: u64) -> Self {
        Charge { alive, bytes }
    }

    /// Bytes of the value.
    #[cfg(feature = "run")]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.alive.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
