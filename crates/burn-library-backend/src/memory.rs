use burn_backend::memory_budget;
use std::sync::atomic::{AtomicBool, Ordering};

/// The memory of one buffer of a library, which the budget of the call counts until this is dropped.
#[derive(Debug)]
pub struct Memory {
    bytes: usize,
    /// Whether handles of the library that are not ours may see the buffer.
    is_lent: AtomicBool,
}

impl Memory {
    /// Takes `bytes` from the budget of the call; `None` where less is left.
    #[inline]
    pub fn take(bytes: usize) -> Option<Self> {
        memory_budget::take(bytes).ok().map(|()| Memory { bytes, is_lent: AtomicBool::new(false) })
    }

    /// The memory of a tensor that comes from the library, which is not counted.
    pub fn foreign() -> Self {
        Memory { bytes: 0, is_lent: AtomicBool::new(true) }
    }

    /// The memory of a view, which its base has.
    pub fn none() -> Self {
        Memory { bytes: 0, is_lent: AtomicBool::new(false) }
    }

    /// Notes that another tensor may hold the buffer from now on.
    pub fn lend(&self) {
        self.is_lent.store(true, Ordering::Release);
    }

    /// Returns whether another tensor may hold the buffer.
    #[inline]
    pub fn is_lent(&self) -> bool {
        self.is_lent.load(Ordering::Acquire)
    }
}

impl Drop for Memory {
    #[inline]
    fn drop(&mut self) {
        memory_budget::give_back(self.bytes);
    }
}
