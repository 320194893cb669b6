use alloc::sync::Arc;
use burn_backend::BackwardError;

use crate::Reason;

/// Why a tensor is not tracked although it depends on one that is: what was called on the way. Told to whoever
/// asks it for gradients.
pub type EndedRef = Option<Arc<Ended>>;

/// An operation that passes no gradient on.
#[derive(Debug)]
pub struct Ended {
    op: &'static str,
    reason: &'static str,
}

impl Ended {
    pub fn at(op: &'static str, reason: Reason) -> EndedRef {
        Some(Arc::new(Ended { op, reason: reason.text() }))
    }

    pub fn error(&self) -> BackwardError {
        BackwardError::Ended { op: self.op, reason: self.reason }
    }
}
