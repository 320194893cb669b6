//! Whether helpers may join a job, and how many of them work on it.
//!
//! The thread that has a job [opens](JobState::open) it, and may end it only after [`JobState::close`], which
//! waits for the helpers that joined: until then they read what lies on its stack. `scripts/nightly loom`
//! runs the tests below over every order in which the processor may see these calls.

#[cfg(all(test, loom))]
use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicU64, Ordering},
    thread::yield_now,
};
#[cfg(not(all(test, loom)))]
use {
    crate::threads::host_threads::yield_now,
    core::hint::spin_loop,
    core::sync::atomic::{AtomicU64, Ordering},
};

/// Whether helpers may join; below it their number, above it the number of the job.
const OPEN: u64 = 1 << 31;
const HELPERS: u64 = OPEN - 1;
const JOB: u64 = 1 << 32;

/// The state of one job after the other.
pub struct JobState(AtomicU64);

impl JobState {
    /// No job yet.
    pub fn new() -> Self {
        JobState(AtomicU64::new(0))
    }

    /// Begins the next job. What was written before is seen by the helpers that join.
    #[inline]
    pub fn open(&self) {
        let state = self.0.load(Ordering::Relaxed);
        // In one order with the flags of helpers that fall asleep: one of the two sees the other.
        self.0.store((state & !(JOB - 1)).wrapping_add(JOB) | OPEN, Ordering::SeqCst);
    }

    /// The number of an open job other than `done`, if there is one.
    #[inline]
    pub fn open_job(&self, done: u64) -> Option<u64> {
        Self::job_after(self.0.load(Ordering::Relaxed), done)
    }

    /// [`JobState::open_job`], in one order with flags that are stored before.
    pub fn open_job_at_last(&self, done: u64) -> Option<u64> {
        Self::job_after(self.0.load(Ordering::SeqCst), done)
    }

    fn job_after(state: u64, done: u64) -> Option<u64> {
        (state / JOB != done && state & OPEN != 0).then_some(state / JOB)
    }

    /// Joins a job, if it is still open: then the caller sees what was written before it was opened, and owes
    /// a [`JobState::leave`].
    pub fn join(&self, job: u64) -> bool {
        let mut state = self.0.load(Ordering::Relaxed);
        while state / JOB == job && state & OPEN != 0 {
            match self.0.compare_exchange_weak(state, state + 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Ends the part of a helper, which reads nothing of the job any more.
    pub fn leave(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Lets no helper join any more, and waits until those that did have left. What they wrote is seen.
    pub fn close(&self) {
        self.0.fetch_and(!OPEN, Ordering::Relaxed);
        let mut looks = 0_u32;
        while self.0.load(Ordering::Acquire) & HELPERS != 0 {
            looks += 1;
            if looks.is_multiple_of(1000) || cfg!(all(test, loom)) { yield_now() } else { spin_loop() }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    struct Shared {
        state: JobState,
        /// Stands for the stack of the caller; loom refuses reads beside a write.
        job: UnsafeCell<u64>,
        sum: loom::sync::atomic::AtomicU64,
    }

    /// Looks once for a job and works on it; the number of the job that it found.
    fn help(shared: &Shared, done: u64) -> u64 {
        let Some(job) = shared.state.open_job(done) else { return done };
        if shared.state.join(job) {
            // SAFETY: the caller writes before it opens and after it has closed.
            let value = shared.job.with(|job| unsafe { *job });
            shared.sum.fetch_add(value, Ordering::Relaxed);
            shared.state.leave();
        }
        job
    }

    fn run(helpers: usize, jobs: u64) {
        let shared = Arc::new(Shared {
            state: JobState::new(),
            job: UnsafeCell::new(0),
            sum: loom::sync::atomic::AtomicU64::new(0),
        });
        let threads: std::vec::Vec<_> = (0..helpers)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || (0..jobs).fold(0, |done, _| help(&shared, done)))
            })
            .collect();
        for job in 1..=jobs {
            let before = shared.sum.load(Ordering::Relaxed);
            // SAFETY: no job is open.
            shared.job.with_mut(|value| unsafe { *value = job });
            shared.state.open();
            shared.state.close();
            // As a stack frame that is left: loom finds a helper that still reads it.
            // SAFETY: the job was closed, and `close` returns when no helper reads it any more.
            shared.job.with_mut(|value| unsafe { *value = 1000 });
            let parts = shared.sum.load(Ordering::Relaxed) - before;
            assert!(parts.is_multiple_of(job) && parts <= job * helpers as u64, "{parts} of job {job}");
        }
        threads.into_iter().for_each(|thread| assert!(thread.join().expect("no panic") <= jobs));
    }

    #[test]
    fn a_job_ends_after_the_helpers_that_joined_it() {
        loom::model(|| run(2, 1));
    }

    #[test]
    fn a_late_helper_joins_no_job_that_it_did_not_see() {
        loom::model(|| run(1, 2));
    }
}
