//! Memory limits for calls, set by the caller.
//!
//! A server runs the calls of its clients in a [`MemoryScope`]. Inside of one a backend [takes](take) the
//! bytes of every buffer, workspace or result, before it allocates it, and [gives them back](give_back) when
//! it frees it. Threads of a backend that work for a call [enter its scope](current). A backend whose device
//! has its own memory does not use budgets: the device itself is the limit.

use core::fmt::{self, Debug};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Budget of bytes in use at one time, shared by several threads.
pub trait MemoryBudget: Debug + Send + Sync {
    /// Reserves `bytes`.
    ///
    /// # Errors
    /// When fewer bytes are left; nothing is reserved then.
    fn take(&self, bytes: u64) -> Result<(), OverBudget>;

    /// Releases `bytes`.
    fn give_back(&self, bytes: u64);
}

/// Error of an allocation that exceeds the budget.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OverBudget {
    pub wanted: u64,
    pub left: u64,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes are wanted, and the memory budget leaves {}", self.wanted, self.left)
    }
}

burn_ir::debug_as_display!(OverBudget);

impl core::error::Error for OverBudget {}

/// Calls that share a budget. A clone is the same scope, for another thread.
///
/// ```
/// use burn_backend::memory_budget::{self, MemoryBudget, MemoryScope, OverBudget};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Debug)]
/// struct Kilobyte(AtomicU64);
///
/// impl MemoryBudget for Kilobyte {
///     fn take(&self, wanted: u64) -> Result<(), OverBudget> {
///         let more = |used: u64| (used + wanted <= 1024).then_some(used + wanted);
///         let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
///         taken.map(|_| ()).map_err(|used| OverBudget { wanted, left: 1024 - used })
///     }
///     fn give_back(&self, bytes: u64) {
///         self.0.fetch_sub(bytes, Ordering::Relaxed);
///     }
/// }
///
/// let scope = MemoryScope::new(Arc::new(Kilobyte(AtomicU64::new(0))));
/// scope.run(|| assert!(memory_budget::take(1000).is_ok() && memory_budget::take(100).is_err()));
/// assert_eq!(scope.denied(), Some(OverBudget { wanted: 100, left: 24 }));
/// // Outside of a scope there is no bound.
/// assert!(memory_budget::take(1 << 40).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct MemoryScope(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    budget: Arc<dyn MemoryBudget>,
    denied: Mutex<Option<OverBudget>>,
}

std::thread_local! {
    /// Whether this thread is in a scope: the look at it costs less than one at the scope.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    static CURRENT: RefCell<Option<MemoryScope>> = const { RefCell::new(None) };
}

/// Leaves the scope, also when a call panics.
struct Leave(Option<MemoryScope>);

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(self.0.is_some());
        CURRENT.set(self.0.take());
    }
}

impl MemoryScope {
    /// Creates a scope of calls that take from `budget`.
    pub fn new(budget: Arc<dyn MemoryBudget>) -> Self {
        MemoryScope(Arc::new(Shared { budget, denied: Mutex::new(None) }))
    }

    /// Runs `call` in the scope, whichever scope is around it.
    pub fn run<R>(&self, call: impl FnOnce() -> R) -> R {
        let _leave = Leave(CURRENT.replace(Some(self.clone())));
        INSIDE.set(true);
        call()
    }

    /// Returns the last request that the budget denied since this was asked: why a call failed.
    pub fn denied(&self) -> Option<OverBudget> {
        self.0.denied.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns the scope of the calling thread, for threads that work for it.
#[inline]
pub fn current() -> Option<MemoryScope> {
    if INSIDE.get() { CURRENT.with_borrow(Clone::clone) } else { None }
}

/// Takes `bytes` from the budget of the calling thread's scope, if it is in one.
///
/// # Errors
/// When less than that is left.
#[inline]
pub fn take(bytes: usize) -> Result<(), OverBudget> {
    if INSIDE.get() { take_inside(bytes as u64) } else { Ok(()) }
}

fn take_inside(bytes: u64) -> Result<(), OverBudget> {
    CURRENT.with_borrow(|scope| {
        let Some(MemoryScope(shared)) = scope else { return Ok(()) };
        shared.budget.take(bytes).inspect_err(|over| {
            *shared.denied.lock().unwrap_or_else(PoisonError::into_inner) = Some(*over);
        })
    })
}

/// Gives `bytes` back that were [taken](take) in the scope of the calling thread.
#[inline]
pub fn give_back(bytes: usize) {
    if INSIDE.get() {
        give_back_inside(bytes as u64);
    }
}

fn give_back_inside(bytes: u64) {
    CURRENT.with_borrow(|scope| {
        if let Some(MemoryScope(shared)) = scope {
            shared.budget.give_back(bytes);
        }
    });
}

/// Guard that reserves bytes until it is dropped, for memory of a kernel outside of buffers.
#[derive(Debug)]
#[must_use = "the bytes are given back when it is dropped"]
pub struct Reservation(usize);

impl Reservation {
    /// Takes `bytes` as [`take`] does.
    ///
    /// # Errors
    /// When less than that is left.
    pub fn new(bytes: usize) -> Result<Self, OverBudget> {
        take(bytes).map(|()| Reservation(bytes))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        give_back(self.0);
    }
}

static CACHE_LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the freed buffers that leaves keep for later calls to `bytes`, in this process and from now on. The
/// least limit that was ever set holds.
pub fn limit_cache(bytes: u64) {
    CACHE_LIMIT.fetch_min(bytes, Ordering::Relaxed);
}

/// Returns the bytes of freed buffers that a backend may keep.
#[inline]
pub fn cache_limit() -> u64 {
    CACHE_LIMIT.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[derive(Debug)]
    struct Counted(AtomicU64);

    impl MemoryBudget for Counted {
        fn take(&self, bytes: u64) -> Result<(), OverBudget> {
            let used = self.0.fetch_add(bytes, Ordering::Relaxed);
            if used + bytes <= 100 {
                return Ok(());
            }
            self.0.fetch_sub(bytes, Ordering::Relaxed);
            Err(OverBudget { wanted: bytes, left: 100 - used })
        }
        fn give_back(&self, bytes: u64) {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    fn scope() -> (Arc<Counted>, MemoryScope) {
        let budget = Arc::new(Counted(AtomicU64::new(0)));
        (budget.clone(), MemoryScope::new(budget))
    }

    #[test]
    fn a_scope_ends_with_its_call_also_when_that_panics() {
        let (budget, scope) = scope();
        let (inner_budget, inner) = self::scope();
        scope.run(|| {
            take(10).unwrap();
            let panic = catch_unwind(AssertUnwindSafe(|| {
                inner.run(|| {
                    let _room = Reservation::new(7).unwrap();
                    assert_eq!(inner_budget.0.load(Ordering::Relaxed), 7);
                    panic!("in a kernel")
                })
            }));
            assert!(panic.is_err());
            take(20).unwrap();
        });
        take(40).unwrap();
        give_back(40);
        assert!(current().is_none());
        assert_eq!((budget.0.load(Ordering::Relaxed), inner_budget.0.load(Ordering::Relaxed)), (30, 0));
    }

    #[test]
    fn threads_of_a_call_share_its_budget_and_its_denial() {
        let (budget, scope) = scope();
        scope.run(|| {
            let current = current().expect("inside");
            std::thread::spawn(move || current.run(|| take(60).is_ok() && take(60).is_err())).join().unwrap();
        });
        assert_eq!(budget.0.load(Ordering::Relaxed), 60);
        assert_eq!(scope.denied(), Some(OverBudget { wanted: 60, left: 40 }));
        assert_eq!(scope.denied(), None);
    }
}
