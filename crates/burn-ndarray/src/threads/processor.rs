//! Which processor runs a thread. A scheduler may wake a thread beside the one that woke it, and leave it
//! there while other processors idle; two threads that share work must not wait for each other.

/// The number of the processor that runs this thread; `None` where it cannot be found out.
#[cfg(all(target_os = "linux", not(miri)))]
pub fn current() -> Option<usize> {
    // SAFETY: the call has no arguments and changes nothing.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub fn current() -> Option<usize> {
    None
}

/// The processors that a thread may use.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub struct Processors(libc::cpu_set_t);

#[cfg(target_os = "linux")]
impl Processors {
    /// Returns the processors of this thread.
    pub fn of_this_thread() -> Option<Self> {
        // SAFETY: a set of processors is a list of bits, of which zeros are one.
        let mut set: libc::cpu_set_t = unsafe { core::mem::zeroed() };
        // SAFETY: 0 is this thread, and the set may be written.
        let failed = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
        (failed == 0).then_some(Processors(set))
    }

    /// Moves this thread from processor `from` to another one of the set: whether there is one. Later the
    /// thread may go anywhere in the set.
    pub fn leave(&self, from: usize) -> bool {
        let mut others = self.0;
        if from >= libc::CPU_SETSIZE as usize {
            return false;
        }
        // SAFETY: the number is one of the set; both sets may be read.
        unsafe {
            libc::CPU_CLR(from, &mut others);
            let moved = libc::CPU_COUNT(&others) > 0 && set_of_this_thread(&others);
            moved && set_of_this_thread(&self.0)
        }
    }
}

#[cfg(target_os = "linux")]
fn set_of_this_thread(set: &libc::cpu_set_t) -> bool {
    // SAFETY: 0 is this thread, and the set may be read.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) == 0 }
}

#[cfg(not(target_os = "linux"))]
#[derive(Clone, Copy)]
pub struct Processors;

#[cfg(not(target_os = "linux"))]
impl Processors {
    pub fn of_this_thread() -> Option<Self> {
        None
    }

    pub fn leave(&self, _from: usize) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_leaves_its_processor_may_return() {
        std::thread::spawn(|| {
            let all = Processors::of_this_thread().expect("Linux knows");
            let here = current().expect("Linux knows");
            let moved = all.leave(here);
            // SAFETY: the set may be read.
            assert_eq!(moved, unsafe { libc::CPU_COUNT(&all.0) } > 1);
            let after = Processors::of_this_thread().expect("Linux knows");
            // SAFETY: the sets may be read.
            assert!(unsafe { libc::CPU_EQUAL(&all.0, &after.0) });
        })
        .join()
        .expect("no panic");
    }

    #[test]
    fn numbers_beyond_all_sets_are_refused() {
        let all = Processors::of_this_thread().expect("Linux knows");
        assert!(!all.leave(usize::MAX));
    }
}
