use crate::wire::Failure;
use burn_backend::TensorSpec;
use burn_backend::memory_budget::{MemoryBudget, OverBudget};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes charged for each tensor besides its elements: its entry in the table and its header.
const ENTRY: u64 = 256;

/// Byte budget shared by all sessions.
#[derive(Debug)]
pub struct Budget {
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Budget { limit, used: AtomicU64::new(0) })
    }

    /// Returns the bytes in use.
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

/// Returns the bytes charged for a tensor.
pub fn cost(spec: &TensorSpec) -> u64 {
    let bytes = |count: usize| (count as u64).saturating_mul(spec.dtype.size() as u64);
    let dims = 8 * spec.shape.rank() as u64;
    spec.shape.checked_num_elements().map_or(u64::MAX, bytes).saturating_add(ENTRY + dims)
}

/// Memory account of one session, released when it ends. It charges the larger of two sums: the bytes of its
/// tensors, a view counted as a copy, and the bytes of the buffers allocated by its calls, which include the
/// workspace of a running kernel and larger tensors kept alive by views.
#[derive(Debug)]
pub struct Account {
    shared: Arc<Budget>,
    limit: u64,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    tensors: u64,
    /// Bytes of buffers; negative where a call frees buffers allocated outside of the session.
    buffers: i64,
    /// Bytes charged to the shared budget: the larger of both.
    charged: u64,
}

impl Account {
    pub fn new(shared: Arc<Budget>, limit: u64) -> Self {
        Account { shared, limit, used: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reserves bytes for tensors.
    ///
    /// # Errors
    /// When the session or all of them would have more than they may.
    pub fn reserve(&self, bytes: u64) -> Result<(), Failure> {
        let mut used = self.lock();
        // A count that overflows exceeds any limit.
        let tensors = used.tensors.checked_add(bytes).filter(|_| bytes != u64::MAX);
        let grown = tensors
            .ok_or(self.limit - used.charged.min(self.limit))
            .and_then(|tensors| self.charge(&mut used, tensors, |used| used.tensors = tensors));
        grown.map_err(|left| Failure::Memory { wanted: bytes, left })
    }

    /// Releases the bytes of tensors.
    pub fn release(&self, bytes: u64) {
        let mut used = self.lock();
        used.tensors -= bytes;
        self.settle(&mut used);
    }

    /// Charges for `bytes` in all, if that is more than now, and notes the change.
    ///
    /// # Errors
    /// The bytes that are left.
    fn charge(&self, used: &mut Used, bytes: u64, change: impl FnOnce(&mut Used)) -> Result<(), u64> {
        if bytes > self.limit {
            return Err(self.limit.saturating_sub(used.charged));
        }
        if let Some(more) = bytes.checked_sub(used.charged) {
            self.shared.take(more)?;
            used.charged = bytes;
        }
        change(used);
        Ok(())
    }

    /// Gives back what is charged beyond what is used.
    fn settle(&self, used: &mut Used) {
        let bytes = used.tensors.max(u64::try_from(used.buffers).unwrap_or(0));
        if let Some(less) = used.charged.checked_sub(bytes) {
            used.charged = bytes;
            self.shared.give_back(less);
        }
    }
}

impl MemoryBudget for Account {
    fn take(&self, bytes: u64) -> Result<(), OverBudget> {
        let mut used = self.lock();
        let buffers = used.buffers.saturating_add_unsigned(bytes);
        let charged =
            self.charge(&mut used, u64::try_from(buffers).unwrap_or(0), |used| used.buffers = buffers);
        charged.map_err(|left| OverBudget { wanted: bytes, left })
    }

    fn give_back(&self, bytes: u64) {
        let mut used = self.lock();
        used.buffers = used.buffers.saturating_sub_unsigned(bytes);
        self.settle(&mut used);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let charged = self.lock().charged;
        self.shared.give_back(charged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_share_what_the_server_may_have() {
        let shared = Budget::new(100);
        let (first, second) = (Account::new(shared.clone(), 80), Account::new(shared.clone(), 80));
        assert_eq!(first.reserve(90), Err(Failure::Memory { wanted: 90, left: 80 }));
        first.reserve(70).unwrap();
        assert_eq!(second.reserve(40), Err(Failure::Memory { wanted: 40, left: 30 }));
        drop(first);
        second.reserve(40).unwrap();
        assert_eq!(shared.used(), 40);
        second.release(40);
        assert_eq!(shared.used(), 0);
    }

    #[test]
    fn a_session_is_charged_for_its_tensors_or_its_buffers_whichever_are_more() {
        let shared = Budget::new(100);
        let session = Account::new(shared.clone(), 80);
        session.reserve(50).unwrap();
        session.take(40).unwrap();
        assert_eq!(shared.used(), 50);
        // Workspace of a call.
        session.take(30).unwrap();
        assert_eq!(shared.used(), 70);
        assert_eq!(session.take(20), Err(OverBudget { wanted: 20, left: 10 }));
        assert_eq!(session.reserve(40), Err(Failure::Memory { wanted: 40, left: 10 }));
        session.give_back(30);
        assert_eq!(shared.used(), 50);
        // The tensors are gone but for a view, which keeps all of a buffer.
        session.release(49);
        assert_eq!(shared.used(), 40);
        session.give_back(40);
        assert_eq!(shared.used(), 1);
        session.reserve(u64::MAX).unwrap_err();
        drop(session);
        assert_eq!(shared.used(), 0);
    }
}
