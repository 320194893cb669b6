use crate::origin::Origin;
use alloc::boxed::Box;
use burn_backend::anomaly;
use burn_backend::module_scope::{self, ModuleScope};

/// Source location and module of a recorded call, for anomaly detection and for profilers.
#[derive(Debug)]
pub struct Observed {
    /// Source location, while anomaly detection is on.
    pub origin: Option<Origin>,
    pub scope: ModuleScope,
}

impl Observed {
    /// Returns the source location and module of a call that is made here; `None` while nothing observes.
    pub fn here() -> Option<Box<Self>> {
        if !anomaly::is_on() && !module_scope::is_watched() {
            return None;
        }
        Some(Box::new(Observed { origin: Origin::here(), scope: module_scope::current() }))
    }
}
