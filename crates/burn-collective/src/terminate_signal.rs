//! `SIGTERM`, by which launchers end all other processes when one has ended in an error.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the handler.
static RECEIVED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
extern "C" fn on_terminate(_signal: libc::c_int) {
    RECEIVED.store(true, Ordering::SeqCst);
}

/// Sets the handler, unless the program has one of its own; returns whether it is set.
#[cfg(unix)]
pub fn handle() -> bool {
    // SAFETY: the handler stores to an atomic, which a signal may interrupt.
    unsafe {
        let mut old: libc::sigaction = core::mem::zeroed();
        if libc::sigaction(libc::SIGTERM, core::ptr::null(), &raw mut old) != 0
            || old.sa_sigaction != libc::SIG_DFL
        {
            return false;
        }
        let mut new: libc::sigaction = core::mem::zeroed();
        new.sa_sigaction = on_terminate as *const () as libc::sighandler_t;
        new.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGTERM, &raw const new, core::ptr::null_mut()) == 0
    }
}

/// Returns whether the process was asked to end.
pub fn is_received() -> bool {
    RECEIVED.load(Ordering::SeqCst)
}

/// Ends this process by the signal that it has received.
#[cfg(unix)]
pub fn end_process() {
    unhandle();
    // SAFETY: the default action ends the process.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}

#[cfg(unix)]
fn unhandle() {
    // SAFETY: the default action calls nothing of this process.
    unsafe { libc::signal(libc::SIGTERM, libc::SIG_DFL) };
}

/// Handles the signal while `start` runs, which looks at [`is_received`] where it waits.
#[cfg(feature = "nccl")]
pub fn handle_during<T, E>(start: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    #[cfg(unix)]
    if handle() {
        let outcome = start();
        unhandle();
        // An error is the program's to print.
        if outcome.is_ok() && is_received() {
            end_process();
        }
        return outcome;
    }
    start()
}
