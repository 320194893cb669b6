//! How the memory of devices is divided, from the environment or from the program.

use crate::device::warning::warn;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

/// Strategy of the pool that tensors of `Wgpu` get their memory from. `BURN_MEMORY_POOL` says it when the
/// program starts: `shared` (the default) or `exclusive`.
///
/// ```no_run
/// # use burn_cubecl::MemoryPool;
/// // Before the first tensor.
/// MemoryPool::Exclusive.set();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryPool {
    /// Tensors share large pages: few allocations by the driver, and memory that stays with the program until
    /// `memory_cleanup`.
    #[default]
    Shared,
    /// Each tensor has a page of its own, of about its size; pages that are free for a while go back to the
    /// driver. For programs that share a device with others, or whose tensors have few sizes.
    Exclusive,
}

static CHOSEN: AtomicU8 = AtomicU8::new(MemoryPool::Shared as u8);

impl MemoryPool {
    /// Returns the strategy of devices that are opened from now on.
    pub fn current() -> Self {
        static START: Once = Once::new();
        START.call_once(|| {
            if let Ok(text) = std::env::var("BURN_MEMORY_POOL") {
                MemoryPool::parse(&text).unwrap_or_else(|| MemoryPool::warn_of(&text)).store();
            }
        });
        [MemoryPool::Shared, MemoryPool::Exclusive][usize::from(CHOSEN.load(Ordering::Relaxed))]
    }

    /// Chooses the strategy of all devices that are opened from now on; those that are open keep theirs.
    pub fn set(self) {
        // Reads the environment first, so that it cannot override this call later.
        MemoryPool::current();
        self.store();
    }

    fn store(self) {
        CHOSEN.store(self as u8, Ordering::Relaxed);
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "" | "shared" => Some(MemoryPool::Shared),
            "exclusive" => Some(MemoryPool::Exclusive),
            _ => None,
        }
    }

    fn warn_of(text: &str) -> Self {
        warn(&format!(
            "BURN_MEMORY_POOL={text} is neither `shared` nor `exclusive`; it is taken as `shared`"
        ));
        MemoryPool::Shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strategies() {
        let expected = [MemoryPool::Shared, MemoryPool::Exclusive, MemoryPool::Shared].map(Some);
        assert_eq!(["shared", "exclusive", ""].map(MemoryPool::parse), expected);
        assert_eq!(MemoryPool::parse("Exclusive"), None);
    }
}
