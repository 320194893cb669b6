use burn_backend::LeafId;
use portable_atomic::{AtomicU64, Ordering};

/// Position of a tensor in the tape. Later results have larger ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u64);

impl NodeId {
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NodeId(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// Returns the id of a leaf, as hooks of gradients know it.
    pub(crate) fn leaf(self) -> LeafId {
        LeafId(self.0)
    }
}

impl core::fmt::Display for NodeId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}
