use alloc::sync::Arc;
use burn_backend::BackwardError;

use crate::Reason;

/// Reason why a tensor is untracked although it depends on a tracked one: the operation in between. It is
/// part of the error when gradients are requested.
pub type EndedRef = Option<Arc<Ended>>;

/// Operation through which no gradient flows.
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
