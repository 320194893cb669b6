//! Device on which the tracked operations of a thread run, wherever their operands are.
//!
//! Data parallel training runs a step with a copy of the model on each device, and a batch that may be on
//! another one. Inside of a [`ReplicaScope`] `Autodiff` moves the operands of each operation to the device of
//! the copy, so the step of a program need not know of it.

use crate::Backend;
use crate::dynamic::DynamicDevice;
use core::cell::RefCell;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Number of scopes of all threads: outside of them an operation costs one load.
static SCOPES: AtomicUsize = AtomicUsize::new(0);

std::thread_local! {
    static DEVICE: RefCell<Option<DynamicDevice>> = const { RefCell::new(None) };
}

/// Scope of a thread in which operations run on one device; it ends when it is dropped.
#[derive(Debug)]
#[must_use]
pub struct ReplicaScope {
    outer: Option<DynamicDevice>,
    thread: PhantomData<*const ()>,
}

impl ReplicaScope {
    /// Begins a scope on a device of `B`, the backend without gradients.
    pub fn enter<B: Backend>(device: B::Device) -> Self {
        Self::set(Some(DynamicDevice::new::<B>(device)))
    }

    fn set(device: Option<DynamicDevice>) -> Self {
        SCOPES.fetch_add(1, Ordering::Relaxed);
        Self { outer: DEVICE.replace(device), thread: PhantomData }
    }
}

impl Drop for ReplicaScope {
    fn drop(&mut self) {
        DEVICE.set(self.outer.take());
        SCOPES.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns whether this thread is in a scope.
#[inline]
pub fn is_active() -> bool {
    SCOPES.load(Ordering::Relaxed) > 0 && DEVICE.with_borrow(Option::is_some)
}

/// Returns the device of the scope that this thread is in, with a scope that suspends it.
pub fn suspend() -> Option<(DynamicDevice, ReplicaScope)> {
    let device = DEVICE.with_borrow(Clone::clone)?;
    Some((device, ReplicaScope::set(None)))
}
