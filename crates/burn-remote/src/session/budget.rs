use crate::wire::Failure;
use burn_backend::TensorSpec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a tensor costs besides its elements: its place in the table, and its header.
const ENTRY: u64 = 256;

/// Bytes that sessions share.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Budget { limit, used: AtomicU64::new(0) })
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// # Errors
    /// The bytes that are left, if that is less than `bytes`.
    fn take(&self, bytes: u64) -> Result<(), u64> {
        let more = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.limit);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|used| self.limit.saturating_sub(used))
    }

    fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What a tensor costs.
pub fn cost(spec: &TensorSpec) -> u64 {
    let bytes = |count: usize| (count as u64).saturating_mul(spec.dtype.size() as u64);
    let dims = 8 * spec.shape.rank() as u64;
    spec.shape.checked_num_elements().map_or(u64::MAX, bytes).saturating_add(ENTRY + dims)
}

/// The bytes of one session, which it gives back when it ends.
#[derive(Debug)]
pub struct Account {
    shared: Arc<Budget>,
    limit: u64,
    used: u64,
}

impl Account {
    pub fn new(shared: Arc<Budget>, limit: u64) -> Self {
        Account { shared, limit, used: 0 }
    }

    /// # Errors
    /// When the session or all of them would have more than they may.
    pub fn take(&mut self, bytes: u64) -> Result<(), Failure> {
        let left = self.limit.saturating_sub(self.used);
        // What no number can say is more than any limit.
        if bytes > left || bytes == u64::MAX {
            return Err(Failure::Memory { wanted: bytes, left });
        }
        self.shared.take(bytes).map_err(|left| Failure::Memory { wanted: bytes, left })?;
        self.used += bytes;
        Ok(())
    }

    pub fn give_back(&mut self, bytes: u64) {
        self.used -= bytes;
        self.shared.give_back(bytes);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.shared.give_back(self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_what_the_server_may_have() {
        let shared = Budget::new(100);
        let (mut first, mut second) = (Account::new(shared.clone(), 80), Account::new(shared.clone(), 80));
        assert_eq!(first.take(90), Err(Failure::Memory { wanted: 90, left: 80 }));
        first.take(70).unwrap();
        assert_eq!(second.take(40), Err(Failure::Memory { wanted: 40, left: 30 }));
        drop(first);
        second.take(40).unwrap();
        assert_eq!(shared.used(), 40);
        second.give_back(40);
        assert_eq!(shared.used(), 0);
    }
}
