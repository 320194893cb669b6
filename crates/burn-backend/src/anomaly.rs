//! Finding the operation that makes the first NaN or infinity.
//!
//! While a guard of [`detect`] lives, or in a program that runs with the variable `BURN_DETECT_ANOMALY` set
//! to `1`, a backend with gradients checks every result and every gradient. The first operation that makes a
//! NaN or an infinity of finite numbers panics, with its name, the shapes, its position on the tape, and the
//! source line of the call: for a gradient, the line of the forward pass. Programs that are built without
//! debug information have no lines; the function is named then.
//!
//! A number that is infinite from the start (a mask of `-inf`, data with holes) is no anomaly, nor is any
//! result computed from it. Checking every result is slow; while detection is off, it costs nothing. PyTorch:
//! `torch.autograd.set_detect_anomaly`, which checks gradients only.

use burn_ir::sync::AtomicUsize;
use core::marker::PhantomData;
use core::sync::atomic::Ordering;

/// Detection state: the number of guards, or one of the two values below.
static STATE: AtomicUsize = AtomicUsize::new(UNKNOWN);
/// State before the environment variable is read.
const UNKNOWN: usize = usize::MAX;
/// State while the environment variable switches detection on.
const ALWAYS: usize = usize::MAX - 1;

/// Name of the environment variable that switches detection on for the whole program: `1`.
pub const VARIABLE: &str = "BURN_DETECT_ANOMALY";

/// Guard that keeps detection on for this thread until it is dropped.
#[derive(Debug)]
#[must_use = "detection ends when the guard is dropped"]
pub struct Guard {
    counted: bool,
    // The guard counts for the thread it was made on.
    _thread: PhantomData<*const ()>,
}

/// Switches detection on for this thread, until the guard is dropped. Guards nest.
pub fn detect() -> Guard {
    let counted = state() != ALWAYS;
    if counted {
        STATE.fetch_add(1, Ordering::Relaxed);
        thread::add(1);
    }
    Guard { counted, _thread: PhantomData }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.counted {
            STATE.fetch_sub(1, Ordering::Relaxed);
            thread::add(-1);
        }
    }
}

/// Returns whether detection is on for this thread; a single atomic load while it is off everywhere.
#[inline]
pub fn is_on() -> bool {
    STATE.load(Ordering::Relaxed) != 0 && asked()
}

#[cold]
fn asked() -> bool {
    match state() {
        0 => false,
        ALWAYS => true,
        _ => thread::is_on(),
    }
}

/// Returns the value of [`STATE`], after reading the environment variable on the first call.
fn state() -> usize {
    let state = STATE.load(Ordering::Relaxed);
    if state != UNKNOWN {
        return state;
    }
    let first = if thread::environment_asks() { ALWAYS } else { 0 };
    match STATE.compare_exchange(UNKNOWN, first, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => first,
        Err(known) => known,
    }
}

#[cfg(feature = "std")]
mod thread {
    use core::cell::Cell;

    thread_local! {
        static GUARDS: Cell<isize> = const { Cell::new(0) };
    }

    pub fn add(count: isize) {
        // A guard may outlive the thread-local storage; then there is nothing to update.
        let _ = GUARDS.try_with(|guards| guards.set(guards.get() + count));
    }

    pub fn is_on() -> bool {
        GUARDS.with(Cell::get) > 0
    }

    pub fn environment_asks() -> bool {
        std::env::var_os(super::VARIABLE).is_some_and(|value| value == "1")
    }
}

/// Fallback without an operating system: one thread, no environment variables.
#[cfg(not(feature = "std"))]
mod thread {
    pub fn add(_count: isize) {}

    pub fn is_on() -> bool {
        true
    }

    pub fn environment_asks() -> bool {
        false
    }
}
